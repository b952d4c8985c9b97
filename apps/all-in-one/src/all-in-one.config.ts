import { delimiter, join } from 'node:path';
import { readEnvironment, type Environment } from '@stave/platform';
import { IsInt, IsNotEmpty, Max, Min } from 'class-validator';

const builtInDrivers = join(__dirname, '..', '..', '..', 'libs', 'drivers');

/** The environment of the whole product in one process. */
export class AllInOneEnvironment {
  @IsInt({ message: 'takes a port number' })
  @Min(0, { message: 'takes a port number' })
  @Max(65_535, { message: 'takes a port number' })
  PORT = 8080;

  @IsNotEmpty({ message: 'is needed' })
  HOST = '127.0.0.1';

  @IsNotEmpty({ message: 'is needed' })
  DATA_DIR = './data';

  /** Conductor groups, separated by commas, one conductor each; the empty name is the default group. */
  CONDUCTOR_GROUPS = '';

  /** Names of drivers, separated by commas; empty: `fake`, and `swarm_docker` where an engine answers. */
  DRIVERS_ENABLED = '';

  /** Directories or packages besides the built-in drivers, separated as in PATH. */
  DRIVERS_PATH = '';

  LOG_LEVEL = 'warn';
}

export interface AllInOneSettings {
  readonly port: number;
  readonly host: string;
  readonly dataDir: string;
  readonly groups: readonly string[];
  readonly driverDirectories: readonly string[];
  /** Empty: what can run here. */
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
