import { delimiter, join } from 'node:path';
import { readEnvironment, type Environment } from '@stave/platform';
import { EventStoreEnvironment } from './event-store.config.js';

const builtInDrivers = join(__dirname, '..', '..', '..', 'libs', 'drivers');

/** The environment variables of the process that runs all services. */
export class AllInOneEnvironment extends EventStoreEnvironment {
  override PORT = 8080;

  override DATA_DIR = './data';

  /** The groups of the conductors, separated by commas: one conductor each. The empty name is the default group. */
  CONDUCTOR_GROUPS = '';

  /** Names of drivers, separated by commas. Empty: `fake`, and `swarm_docker` where a Docker Engine answers. */
  DRIVERS_ENABLED = '';

  /** Directories or packages in addition to the built-in drivers, separated as in PATH. */
  DRIVERS_PATH = '';

  LOG_LEVEL = 'warn';
}

export interface AllInOneSettings {
  readonly port: number;
  readonly host: string;
  readonly dataDir: string;
  readonly groups: readonly string[];
  readonly driverDirectories: readonly string[];
  /** Empty: the drivers whose engine is available. */
  readonly driversEnabled: readonly string[];
  readonly logLevel: string;
  readonly env: Environment;
}

const list = (text: string, separator: string): string[] =>
  text
    .split(separator)
    .map(s => s.trim())
    .filter(s => s !== '');

/** Throws BadEnvironmentError. */
export function readSettings(env: Environment): AllInOneSettings {
  const settings = readEnvironment(AllInOneEnvironment, env);
  return {
    port: settings.PORT,
    host: settings.HOST,
    dataDir: settings.DATA_DIR,
    groups: [...new Set(settings.CONDUCTOR_GROUPS.split(',').map(g => g.trim()))],
    driverDirectories: [builtInDrivers, ...list(settings.DRIVERS_PATH, delimiter)],
    driversEnabled: list(settings.DRIVERS_ENABLED, ','),
    logLevel: settings.LOG_LEVEL,
    env,
  };
}
