import { readEnvironment, type Environment } from '@stave/platform';
import { IsIn, IsInt, IsNotEmpty, Max, Min } from 'class-validator';

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** The environment of a gateway in a process of its own, with defaults. */
export class GatewayEnvironment {
  @IsNotEmpty({ message: 'is needed' })
  HOST = '127.0.0.1';

  @IsInt({ message: 'takes a whole number' })
  @Min(0, { message: 'is not negative' })
  @Max(65_535, { message: 'is at most 65535' })
  PORT = 8080;

  @IsNotEmpty({ message: 'is needed' })
  NATS_URL = 'nats://127.0.0.1:4222';

  NATS_USER = '';

  NATS_PASSWORD = '';

  NATS_TOKEN = '';

  @IsNotEmpty({ message: 'is needed' })
  EVENTSTORE_URL = 'esdb://127.0.0.1:2113?tls=false';

  /** The deadline of one request to a service. */
  @IsInt({ message: 'takes whole milliseconds' })
  @Min(100, { message: 'is at least 100' })
  @Max(120_000, { message: 'is at most 120000' })
  REQUEST_TIMEOUT_MS = 10_000;

  /** The time between two comment lines of an event stream. */
  @IsInt({ message: 'takes whole milliseconds' })
  @Min(100, { message: 'is at least 100' })
  EVENT_HEARTBEAT_MS = 15_000;

  @IsIn(levels, { message: 'takes a level of pino' })
  LOG_LEVEL = 'info';
}

/** Reads the environment; an empty value counts as absent. Throws BadEnvironmentError with all problems. */
export function gatewayConfig(env: Environment) {
  const given = readEnvironment(GatewayEnvironment, env);
  const { NATS_USER: user, NATS_PASSWORD: pass, NATS_TOKEN: token } = given;
  return {
    host: given.HOST,
    port: given.PORT,
    nats: { servers: given.NATS_URL, ...(user && { user }), ...(pass && { pass }), ...(token && { token }) },
    eventStoreUrl: given.EVENTSTORE_URL,
    requestTimeoutMs: given.REQUEST_TIMEOUT_MS,
    heartbeatMs: given.EVENT_HEARTBEAT_MS,
    logLevel: given.LOG_LEVEL,
  };
}
