import { delimiter } from 'node:path';
import { limitsOf, signInOf, withLimits, withSignIn } from '@stave/api-gateway';
import {
  IsIntegerIn,
  listIn,
  LOG_LEVEL_RULE,
  LOG_LEVELS,
  OTLP,
  OTLP_RULE,
  readEnvironment,
  tlsOf,
  withTls,
  type Environment,
} from '@stave/platform';
import { hookSettings, KEPT, keptMs, KEPT_RULE, withHooks } from '@stave/service-kit';
import { IsIn, IsNumber, Matches, Max, Min } from 'class-validator';
import { builtInDrivers } from './built-in-drivers.js';
import { EventStoreEnvironment } from './event-store.config.js';

/** The environment variables of the process that runs all services. */
export class AllInOneEnvironment extends withHooks(withSignIn(withLimits(withTls(EventStoreEnvironment)))) {
  override PORT = 8080;

  override DATA_DIR = './data';

  /** The number of events that may be missing from the log although a snapshot contains them; 0: none. */
  @IsIntegerIn(0, Infinity, 'events')
  ACCEPT_LOST_EVENTS = 0;

  /** The groups of the conductors, separated by commas: one conductor each. The empty name is the default group. */
  CONDUCTOR_GROUPS = '';

  /** Names of drivers, separated by commas. Empty: `fake`, and the drivers on Docker where an engine answers. */
  DRIVERS_ENABLED = '';

  /** Directories or packages in addition to the built-in drivers, separated as in PATH. */
  DRIVERS_PATH = '';

  /** The directory with the secrets of projects: `projects/<id or name>/<secret>`. Empty: none. */
  SECRETS_DIR = '';

  /** The most tasks of one project at a time, for each driver of a conductor. 0: a share that depends on what is free. */
  @IsIntegerIn(0, 4_096)
  PROJECT_CONCURRENCY = 0;

  /** For how long operations are listed after their end. */
  @Matches(KEPT, { message: KEPT_RULE })
  OPERATIONS_KEPT = '30d';

  /** As for a conductor. */
  @IsNumber({}, { message: 'must be a number' })
  @Min(0, { message: 'must be at least 0' })
  @Max(1, { message: 'must be at most 1' })
  MASS_LOSS_SHARE = 0.34;

  /** As for a conductor. */
  @IsIntegerIn(1, 1_000_000, 'units')
  MASS_LOSS_MIN = 5;

  /** As for services. */
  @Matches(OTLP, { message: OTLP_RULE })
  OTEL_EXPORTER_OTLP_ENDPOINT = '';

  @IsIn(LOG_LEVELS, { message: LOG_LEVEL_RULE })
  LOG_LEVEL = 'warn';
}

export type AllInOneSettings = Readonly<ReturnType<typeof readSettings>>;

/** Throws BadEnvironmentError. */
export function readSettings(env: Environment) {
  const settings = readEnvironment(AllInOneEnvironment, env);
  return {
    port: settings.PORT,
    host: settings.HOST,
    dataDir: settings.DATA_DIR,
    acceptLostEvents: settings.ACCEPT_LOST_EVENTS,
    groups: [...new Set(settings.CONDUCTOR_GROUPS.split(',').map(g => g.trim()))],
    driverDirectories: [builtInDrivers, ...listIn(settings.DRIVERS_PATH, delimiter)],
    operationsKeptMs: keptMs(settings.OPERATIONS_KEPT),
    driversEnabled: listIn(settings.DRIVERS_ENABLED),
    ...(settings.SECRETS_DIR === '' ? {} : { secretsDir: settings.SECRETS_DIR }),
    hooks: hookSettings(settings),
    projectConcurrency: settings.PROJECT_CONCURRENCY,
    massLoss: { share: settings.MASS_LOSS_SHARE, min: settings.MASS_LOSS_MIN },
    limits: limitsOf(settings),
    signIn: signInOf(settings),
    ...tlsOf(settings),
    tracesTo: settings.OTEL_EXPORTER_OTLP_ENDPOINT,
    logLevel: settings.LOG_LEVEL,
    env,
  };
}
