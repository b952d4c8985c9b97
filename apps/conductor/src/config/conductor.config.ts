import { randomUUID } from 'node:crypto';
import { delimiter } from 'node:path';
import {
  HealthEnvironment,
  IsIntegerIn,
  listIn,
  natsSettings,
  readEnvironment,
  tlsOf,
  type Environment,
} from '@stave/platform';
import { IsIn, IsNotEmpty, IsNumber, Matches, Max, Min, ValidateBy } from 'class-validator';
import { defaultLimits, defaultTimes } from './conductor.settings.js';

const MAX_CODE_POINTS = 255;

/** Accepts a conductor group: any text up to 255 code points, counted before it is folded. */
const IsGroup = (): PropertyDecorator =>
  ValidateBy({
    name: 'isGroup',
    validator: {
      validate: value => typeof value === 'string' && [...value].length <= MAX_CODE_POINTS,
      defaultMessage: () => `has at most ${MAX_CODE_POINTS} characters`,
    },
  });

export class ConductorEnvironment extends HealthEnvironment {
  /** Must be unique among running conductors; it is part of subjects. Default: a new UUID at every start. */
  @Matches(/^[A-Za-z0-9_-]{1,64}$/, { message: 'must be 1 to 64 letters, digits, - and _' })
  CONDUCTOR_ID: string = randomUUID();

  @IsGroup()
  CONDUCTOR_GROUP = '';

  /** The share of the ring, relative to other conductors. */
  @IsNumber({}, { message: 'must be a number' })
  @Min(0.01, { message: 'must be at least 0.01' })
  @Max(1_000, { message: 'must be at most 1000' })
  CONDUCTOR_WEIGHT = 1;

  /** The most tasks at a time. */
  @IsIntegerIn(1, 4_096)
  CONDUCTOR_CONCURRENCY = defaultLimits.total;

  /** The most tasks at a time by driver: `swarm_docker=4,fake=64`. */
  @Matches(/^([a-z][a-z0-9_-]*=[1-9]\d{0,3}(,|$))*$/, { message: 'must be driver=number, separated by commas' })
  CONDUCTOR_DRIVER_CONCURRENCY = '';

  /** The most tasks of one project at a time, for each driver. 0: a share that depends on what is free. */
  @IsIntegerIn(0, 4_096)
  PROJECT_CONCURRENCY = defaultLimits.perProject;

  /** Names, or names with version (`fake@1.0.0`), separated by commas. Empty: all drivers that are found. */
  DRIVERS_ENABLED = '';

  /** Directories or packages in addition to the built-in drivers, separated as in PATH. */
  DRIVERS_PATH = '';

  @IsNotEmpty({ message: 'is required' })
  DATA_DIR = 'data';

  /** The directory with the secrets of projects: `projects/<id or name>/<secret>`. Empty: none. */
  SECRETS_DIR = '';

  /** `true`: ring keys do not contain the group, as long as services or conductors of a release without groups run. */
  @IsIn(['true', 'false'], { message: 'must be true or false' })
  RING_KEY_PIN = 'false';

  /** The share of the nodes, and of the containers, of an engine or cloud whose absence from one list is not repaired without an administrator. */
  @IsNumber({}, { message: 'must be a number' })
  @Min(0, { message: 'must be at least 0' })
  @Max(1, { message: 'must be at most 1' })
  MASS_LOSS_SHARE = defaultLimits.massLoss.share;

  /** The least number of nodes or containers whose absence counts as that. */
  @IsIntegerIn(1, 1_000_000, 'units')
  MASS_LOSS_MIN = defaultLimits.massLoss.min;

  @IsIntegerIn(1_000, Infinity, 'milliseconds')
  ORPHAN_SWEEP_MS = defaultTimes.sweepPeriodMs;

  /** How long a deleted unit, or one of a lower generation, may exist before the sweep removes it. */
  @IsIntegerIn(1_000, Infinity, 'milliseconds')
  ORPHAN_GONE_MS = defaultTimes.goneGraceMs;

  /** How long a unit that no stream knows may exist before the sweep removes it. */
  @IsIntegerIn(1_000, Infinity, 'milliseconds')
  ORPHAN_NEVER_MS = defaultTimes.neverGraceMs;

  /** How long tasks may continue after SIGTERM before they are released. */
  @IsIntegerIn(0, Infinity, 'milliseconds')
  STOP_GRACE_MS = defaultTimes.stopGraceMs;
}

/** Reads the environment. Throws BadEnvironmentError, which names all problems. `builtIn`: the directory of the built-in drivers. */
export function conductorConfig(env: Environment, builtIn: string) {
  const given = readEnvironment(ConductorEnvironment, env);
  return {
    id: given.CONDUCTOR_ID,
    group: given.CONDUCTOR_GROUP,
    weight: given.CONDUCTOR_WEIGHT,
    keyMode: given.RING_KEY_PIN === 'true' ? ('pinned' as const) : ('group' as const),
    drivers: {
      directories: [builtIn, ...listIn(given.DRIVERS_PATH, delimiter)],
      enabled: listIn(given.DRIVERS_ENABLED),
    },
    nats: natsSettings(given),
    health: { host: given.HEALTH_HOST, port: given.HEALTH_PORT },
    ...tlsOf(given),
    dataDir: given.DATA_DIR,
    ...(given.SECRETS_DIR === '' ? {} : { secretsDir: given.SECRETS_DIR }),
    limits: {
      total: given.CONDUCTOR_CONCURRENCY,
      perDriver: perDriver(given),
      perProject: given.PROJECT_CONCURRENCY,
      massLoss: { share: given.MASS_LOSS_SHARE, min: given.MASS_LOSS_MIN },
    },
    times: {
      sweepPeriodMs: given.ORPHAN_SWEEP_MS,
      goneGraceMs: given.ORPHAN_GONE_MS,
      neverGraceMs: given.ORPHAN_NEVER_MS,
      stopGraceMs: given.STOP_GRACE_MS,
    },
    tracesTo: given.OTEL_EXPORTER_OTLP_ENDPOINT,
    logLevel: given.LOG_LEVEL,
  };
}

function perDriver({ CONDUCTOR_DRIVER_CONCURRENCY: text, CONDUCTOR_CONCURRENCY: total }: ConductorEnvironment) {
  const given = listIn(text).map(part => {
    const [name = '', limit] = part.split('=');
    return [name, Number(limit)] as const;
  });
  return { ...defaultLimits.perDriver, '*': total, ...Object.fromEntries(given) };
}
