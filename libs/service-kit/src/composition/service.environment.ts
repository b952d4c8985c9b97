import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  eventStoreSettings,
  fileSettings,
  HealthEnvironment,
  IsIntegerIn,
  IsTogether,
  natsSettings,
  readEnvironment,
  tlsOf,
  withEventStore,
  type Environment,
  type EventStoreSettings,
  type NatsSettings,
  type StoreFileSettings,
  type TlsSettings,
} from '@stave/platform';
import { IsIn, Matches } from 'class-validator';
import { KEPT, KEPT_RULE, keptMs } from './kept-time.js';
import type { RingUser } from '../ring/ring-registration.js';

/** The environment variables of every service that runs in its own process. */
export class ServiceEnvironment extends withEventStore(HealthEnvironment) {
  /** Empty: read models in memory, filled from the log at every start. */
  @Matches(/^(mongodb(\+srv)?:\/\/.+)?$/, { message: 'takes a connection string mongodb://host:port' })
  MONGODB_URL = '';

  /** The authorities that sign the certificates of MongoDB (PEM), in place of those of Node.js. */
  MONGODB_CA_FILE = '';

  /** The certificate by which MongoDB knows this process; with MONGODB_KEY_FILE. */
  @IsTogether('MONGODB_KEY_FILE')
  MONGODB_CERT_FILE = '';

  @IsTogether('MONGODB_CERT_FILE')
  MONGODB_KEY_FILE = '';

  /** The password of the user in MONGODB_URL. */
  MONGODB_PASSWORD_FILE = '';

  /** Each service has the database `<prefix>-<service>`. */
  @Matches(/^[A-Za-z0-9_-]{1,30}$/, { message: 'takes 1 to 30 letters, digits, - and _' })
  MONGODB_PREFIX = 'stave';

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

export interface PortsSettings extends EventStoreSettings {
  readonly nats: NatsSettings;
  /** Absent: documents stay in this process. */
  readonly mongo?: { readonly url: string; readonly prefix: string; readonly files?: StoreFileSettings };
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
  /** The collector of spans; empty: none. */
  readonly tracesTo: string;
  readonly logLevel: string;
}

/** Returns the release that this process runs. */
export function release(): string {
  const { version }: { version: string } = JSON.parse(
    readFileSync(join(__dirname, '..', '..', 'package.json'), 'utf8'),
  );
  return version;
}

const mongoSettings = (given: ServiceEnvironment): PortsSettings['mongo'] & object => ({
  url: given.MONGODB_URL,
  prefix: given.MONGODB_PREFIX,
  ...fileSettings({
    caFile: given.MONGODB_CA_FILE,
    certFile: given.MONGODB_CERT_FILE,
    keyFile: given.MONGODB_KEY_FILE,
    passwordFile: given.MONGODB_PASSWORD_FILE,
  }),
});

/** Throws BadEnvironmentError. */
export function serviceConfig(env: Environment): ServiceConfig {
  return serviceConfigOf(readEnvironment(ServiceEnvironment, env));
}

/** Returns the configuration of a service that declares more settings in a subclass. */
export function serviceConfigOf(given: ServiceEnvironment): ServiceConfig {
  return {
    ports: {
      nats: natsSettings(given),
      ...eventStoreSettings(given),
      ...(given.MONGODB_URL && { mongo: mongoSettings(given) }),
      ...(given.DATA_DIR && { dataDir: given.DATA_DIR }),
      startupWaitMs: given.STARTUP_WAIT_MS,
      operationsKeptMs: keptMs(given.OPERATIONS_KEPT),
    },
    ringUser: { release: release(), keyMode: given.RING_KEY_PIN === 'true' ? 'pinned' : 'group' },
    health: { host: given.HEALTH_HOST, port: given.HEALTH_PORT },
    ...tlsOf(given),
    tracesTo: given.OTEL_EXPORTER_OTLP_ENDPOINT,
    logLevel: given.LOG_LEVEL,
  };
}
