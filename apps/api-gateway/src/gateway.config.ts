import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { IsIn, IsInt, IsNotEmpty, IsOptional, Max, Min, validateSync } from 'class-validator';

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** The environment of a gateway of its own process. What is absent has the default shown. */
export class GatewayEnvironment {
  @IsNotEmpty({ message: 'is needed' })
  HOST = '127.0.0.1';

  @IsInt({ message: 'takes a whole number' })
  @Min(0, { message: 'is not negative' })
  @Max(65_535, { message: 'is at most 65535' })
  PORT = 8080;

  @IsNotEmpty({ message: 'is needed' })
  NATS_URL = 'nats://127.0.0.1:4222';

  @IsOptional()
  NATS_USER?: string;

  @IsOptional()
  NATS_PASSWORD?: string;

  @IsOptional()
  NATS_TOKEN?: string;

  @IsNotEmpty({ message: 'is needed' })
  EVENTSTORE_URL = 'esdb://127.0.0.1:2113?tls=false';

  /** Deadline of one request to a service. */
  @IsInt({ message: 'takes whole milliseconds' })
  @Min(100, { message: 'is at least 100' })
  @Max(120_000, { message: 'is at most 120000' })
  REQUEST_TIMEOUT_MS = 10_000;

  /** Between two comment lines of an event stream. */
  @IsInt({ message: 'takes whole milliseconds' })
  @Min(100, { message: 'is at least 100' })
  EVENT_HEARTBEAT_MS = 15_000;

  @IsIn(levels, { message: 'takes a level of pino' })
  LOG_LEVEL = 'info';
}

/** Names every bad key of the environment, and no value. */
export class BadEnvironmentError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`bad configuration: ${problems.join('; ')}`);
    this.name = 'BadEnvironmentError';
  }
}

export interface GatewayConfig {
  readonly host: string;
  readonly port: number;
  readonly nats: { readonly servers: string; readonly user?: string; readonly pass?: string; readonly token?: string };
  readonly eventStoreUrl: string;
  readonly requestTimeoutMs: number;
  readonly heartbeatMs: number;
  readonly logLevel: string;
}

const numbers = new Set(['PORT', 'REQUEST_TIMEOUT_MS', 'EVENT_HEARTBEAT_MS']);
const optional = ['NATS_USER', 'NATS_PASSWORD', 'NATS_TOKEN'];

/** Reads the environment; an empty value counts as absent. Throws BadEnvironmentError with all problems at once. */
export function gatewayConfig(env: Readonly<Record<string, string | undefined>>): GatewayConfig {
  const given = validated(env);
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

function validated(env: Readonly<Record<string, string | undefined>>): GatewayEnvironment {
  const given: Record<string, unknown> = {};
  for (const key of [...Object.keys(new GatewayEnvironment()), ...optional]) {
    const value = env[key];
    if (value !== undefined && value !== '') given[key] = numbers.has(key) ? Number(value) : value;
  }
  const environment = plainToInstance(GatewayEnvironment, given, { exposeDefaultValues: true });
  const problems = validateSync(environment, { validationError: { value: false, target: false } });
  if (problems.length === 0) return environment;
  throw new BadEnvironmentError(
    problems.map(({ property, constraints }) => `${property} ${Object.values(constraints ?? {}).join(', ')}`),
  );
}
