import {
  IsIntegerIn,
  IsPort,
  natsSettings,
  ProcessEnvironment,
  readEnvironment,
  type Environment,
} from '@stave/platform';
import { IsNotEmpty } from 'class-validator';

/** The environment of a gateway in a process of its own, with defaults. */
export class GatewayEnvironment extends ProcessEnvironment {
  @IsNotEmpty({ message: 'is required' })
  HOST = '127.0.0.1';

  @IsPort()
  PORT = 8080;

  @IsNotEmpty({ message: 'is required' })
  EVENTSTORE_URL = 'esdb://127.0.0.1:2113?tls=false';

  /** The deadline of one request to a service. */
  @IsIntegerIn(100, 120_000, 'milliseconds')
  REQUEST_TIMEOUT_MS = 10_000;

  /** The time between two comment lines of an event stream. */
  @IsIntegerIn(100, Infinity, 'milliseconds')
  EVENT_HEARTBEAT_MS = 15_000;
}

/** Reads the environment; an empty value counts as absent. Throws BadEnvironmentError with all problems. */
export function gatewayConfig(env: Environment) {
  const given = readEnvironment(GatewayEnvironment, env);
  return {
    host: given.HOST,
    port: given.PORT,
    nats: natsSettings(given),
    eventStoreUrl: given.EVENTSTORE_URL,
    requestTimeoutMs: given.REQUEST_TIMEOUT_MS,
    heartbeatMs: given.EVENT_HEARTBEAT_MS,
    logLevel: given.LOG_LEVEL,
  };
}
