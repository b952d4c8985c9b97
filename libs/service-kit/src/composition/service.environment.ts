import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IsIn, IsInt, IsNotEmpty, Matches, Max, Min } from 'class-validator';
import type { RingUser } from '../ring/ring-registration.js';
import { type Environment, readEnvironment } from '@stave/platform';

/** The environment variables of every service that runs in its own process. */
export class ServiceEnvironment {
  @IsNotEmpty({ message: 'is needed' })
  NATS_URL = 'nats://127.0.0.1:4222';

  NATS_USER = '';

  NATS_PASSWORD = '';

  NATS_TOKEN = '';

  @Matches(/^esdb(\+discover)?:\/\/.+$/, { message: 'takes a connection string esdb://host:port' })
  EVENTSTORE_URL = 'esdb://127.0.0.1:2113?tls=false';

  /** Empty: read models in memory, filled from the log at every start. */
  @Matches(/^(mongodb(\+srv)?:\/\/.+)?$/, { message: 'takes a connection string mongodb://host:port' })
  MONGODB_URL = '';

  /** Each service has the database `<prefix>-<service>`. */
  @Matches(/^[A-Za-z0-9_-]{1,30}$/, { message: 'takes 1 to 30 letters, digits, - and _' })
  MONGODB_PREFIX = 'stave';

  @IsNotEmpty({ message: 'is needed' })
  HEALTH_HOST = '127.0.0.1';

  /** 0: no health port. */
  @IsInt({ message: 'takes a port number' })
  @Min(0, { message: 'takes a port number' })
  @Max(65_535, { message: 'takes a port number' })
  HEALTH_PORT = 0;

  /** Milliseconds for which a start waits for the event store. */
  @IsInt({ message: 'takes whole milliseconds' })
  @Min(0, { message: 'is not negative' })
  @Max(3_600_000, { message: 'is at most 3600000' })
  STARTUP_WAIT_MS = 60_000;

  /** `true` while services or conductors of a release without groups run: ring keys without the group. */
  @IsIn(['true', 'false'], { message: 'takes true or false' })
  RING_KEY_PIN = 'false';

  @IsIn(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], { message: 'takes a level of pino' })
  LOG_LEVEL = 'info';
}

export interface PortsSettings {
  /** Absent: messages stay in this process. */
  readonly nats?: { readonly servers: string; readonly user?: string; readonly pass?: string; readonly token?: string };
  /** A connection string of EventStoreDB, or the directory of an embedded store, which one process at a time may open. */
  readonly eventStore: { readonly url: string } | { readonly directory: string };
  /** Absent: documents stay in this process. */
  readonly mongo?: { readonly url: string; readonly prefix: string };
  readonly startupWaitMs: number;
}

export interface ServiceConfig {
  readonly ports: PortsSettings;
  readonly ringUser: RingUser;
  readonly health: { readonly host: string; readonly port: number };
  readonly logLevel: string;
}

function release(): string {
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
  const { NATS_USER: user, NATS_PASSWORD: pass, NATS_TOKEN: token } = given;
  return {
    ports: {
      nats: { servers: given.NATS_URL, ...(user && { user }), ...(pass && { pass }), ...(token && { token }) },
      eventStore: { url: given.EVENTSTORE_URL },
      ...(given.MONGODB_URL && { mongo: { url: given.MONGODB_URL, prefix: given.MONGODB_PREFIX } }),
      startupWaitMs: given.STARTUP_WAIT_MS,
    },
    ringUser: { release: release(), keyMode: given.RING_KEY_PIN === 'true' ? 'pinned' : 'group' },
    health: { host: given.HEALTH_HOST, port: given.HEALTH_PORT },
    logLevel: given.LOG_LEVEL,
  };
}
