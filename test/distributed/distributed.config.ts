import { resolve } from 'node:path';
import { readEnvironment, type Environment } from '@stave/platform';
import { IsInt, IsNotEmpty, Matches, Max, Min } from 'class-validator';

/** The environment of `npm run start:distributed`. */
export class DistributedEnvironment {
  @IsInt({ message: 'takes a port number' })
  @Min(0, { message: 'takes a port number' })
  @Max(65_535, { message: 'takes a port number' })
  PORT = 8080;

  @IsNotEmpty({ message: 'is needed' })
  HOST = '127.0.0.1';

  @IsNotEmpty({ message: 'is needed' })
  DATA_DIR = './data';

  DRIVERS_ENABLED = 'fake';

  /** Default: the embedded event store in a separate process. */
  @Matches(/^(esdb(\+discover)?:\/\/.+)?$/, { message: 'takes a connection string esdb://host:port' })
  EVENTSTORE_URL = '';

  LOG_LEVEL = 'info';
}

export interface DistributedConfig {
  readonly port: number;
  readonly host: string;
  readonly dataDir: string;
  readonly driversEnabled: readonly string[];
  readonly eventStoreUrl: string;
  readonly logLevel: string;
}

/** Throws BadEnvironmentError when a setting is invalid. */
export function distributedConfig(env: Environment): DistributedConfig {
  const given = readEnvironment(DistributedEnvironment, env);
  return {
    port: given.PORT,
    host: given.HOST,
    dataDir: resolve(given.DATA_DIR),
    driversEnabled: given.DRIVERS_ENABLED.split(',').filter(name => name !== ''),
    eventStoreUrl: given.EVENTSTORE_URL,
    logLevel: given.LOG_LEVEL,
  };
}

const inherited = [
  'PATH',
  'HOME',
  'TMPDIR',
  'TZ',
  'LANG',
  'DOCKER_HOST',
  'SWARM_DOCKER_RUN_DIR',
  'SWARM_DOCKER_NODE_IMAGE',
  'NODE_EXTRA_CA_CERTS',
];

/** Returns the environment of child processes: no setting of Stave except the address of Docker. */
export function inheritedEnvironment(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    inherited.flatMap(key => {
      const value = process.env[key];
      return value === undefined ? [] : [[key, value]];
    }),
  );
}
