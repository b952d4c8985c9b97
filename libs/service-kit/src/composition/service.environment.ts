import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  IsIntegerIn,
  IsPort,
  IsTogether,
  natsSettings,
  ProcessEnvironment,
  readEnvironment,
  STREAM_PREFIX,
  STREAM_PREFIX_RULE,
  tlsOf,
  type Environment,
  type NatsSettings,
  type TlsSettings,
} from '@stave/platform';
import { IsIn, IsNotEmpty, Matches } from 'class-validator';
import { KEPT, KEPT_RULE, keptMs } from './kept-time.js';
import type { RingUser } from '../ring/ring-registration.js';

/** The environment variables of every service that runs in its own process. */
export class ServiceEnvironment extends ProcessEnvironment {
  @Matches(/^esdb(\+discover)?:\/\/.+$/, { message: 'takes a connection string esdb://host:port' })
  EVENTSTORE_URL = 'esdb://127.0.0.1:2113?tls=false';

  /** The prefix of all stream names, for installations that share an event store; empty: none. */
  @Matches(STREAM_PREFIX, { message: STREAM_PREFIX_RULE })
  EVENTSTORE_STREAM_PREFIX = '';

  /** Empty: read models in memory, filled from the log at every start. */
  @Matches(/^(mongodb(\+srv)?:\/\/.+)?$/, { message: 'takes a connection string mongodb://host:port' })
  MONGODB_URL = '';

  /** Each service has the database `<prefix>-<service>`. */
  @Matches(/^[A-Za-z0-9_-]{1,30}$/, { message: 'takes 1 to 30 letters, digits, - and _' })
  MONGODB_PREFIX = 'stave';

  @IsNotEmpty({ message: 'is required' })
  HEALTH_HOST = '127.0.0.1';

  /** 0: no health port. */
  @IsPort()
  HEALTH_PORT = 0;

  /** The certificate of the health port, with its chain (PEM); with TLS_KEY_FILE. Empty: without TLS. */
  @IsTogether('TLS_KEY_FILE')
  TLS_CERT_FILE = '';

  @IsTogether('TLS_CERT_FILE')
  TLS_KEY_FILE = '';

  /** Milliseconds for which a start waits for the event store. */
  @IsIntegerIn(0, 3_600_000, 'milliseconds')
  STARTUP_WAIT_MS = 60_000;

  /** The directory of the snapshot from which a start continues; replicas may share it. Empty: each start reads the complete log. */
  DATA_DIR = '';

  /** For how long operations are listed after their end. */
  @Matches(KEPT, { message: KEPT_RULE })
  OPERATIONS_KEPT = '30d';

  /** `true` while services or conductors of a release without groups run: ring keys without the group. */
  @IsIn(['true', 'false'], { message: 'must be true or false' })
  RING_KEY_PIN = 'false';
}

export interface PortsSettings {
  readonly nats: NatsSettings;
  /** A connection string of EventStoreDB. */
  readonly eventStoreUrl: string;
  /** The prefix of all stream names on the event store. */
  readonly streamPrefix: string;
  /** Absent: documents stay in this process. */
  readonly mongo?: { readonly url: string; readonly prefix: string };
  /** The directory of the snapshot; absent: each start reads the complete log. */
  readonly dataDir?: string;
  readonly startupWaitMs: number;
  readonly operationsKeptMs: number;
}

export interface ServiceConfig {
  readonly ports: PortsSettings;
  readonly ringUser: RingUser;
  readonly health: { readonly host: string; readonly port: number };
  readonly tls: TlsSettings;
  readonly logLevel: string;
}

/** Returns the release that this process runs. */
export function release(): string {
  const { version }: { version: string } = JSON.parse(
    readFileSync(join(__dirname, '..', '..', 'package.json'), 'utf8'),
  );
  return version;
}

/** Throws BadEnvironmentError. */
export function serviceConfig(env: Environment): ServiceConfig {
  return serviceConfigOf(readEnvironment(ServiceEnvironment, env));
}

/** Returns the configuration of a service that declares more settings in a subclass. */
export function serviceConfigOf(given: ServiceEnvironment): ServiceConfig {
  return {
    ports: {
      nats: natsSettings(given),
      eventStoreUrl: given.EVENTSTORE_URL,
      streamPrefix: given.EVENTSTORE_STREAM_PREFIX,
      ...(given.MONGODB_URL && { mongo: { url: given.MONGODB_URL, prefix: given.MONGODB_PREFIX } }),
      ...(given.DATA_DIR && { dataDir: given.DATA_DIR }),
      startupWaitMs: given.STARTUP_WAIT_MS,
      operationsKeptMs: keptMs(given.OPERATIONS_KEPT),
    },
    ringUser: { release: release(), keyMode: given.RING_KEY_PIN === 'true' ? 'pinned' : 'group' },
    health: { host: given.HEALTH_HOST, port: given.HEALTH_PORT },
    ...tlsOf(given),
    logLevel: given.LOG_LEVEL,
  };
}
