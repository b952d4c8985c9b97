import {
  eventStoreSettings,
  IsIntegerIn,
  IsPort,
  natsSettings,
  ProcessEnvironment,
  readEnvironment,
  tlsOf,
  withEventStore,
  withTls,
  type Environment,
  type SettingsClass,
} from '@stave/platform';
import { IsNotEmpty } from 'class-validator';
import { signInOf, withSignIn } from './sign-in/sign-in-settings.js';

/** Requests per second, several times what one process answers: seen so far are 23,000 on two cores. */
const DEFAULT_RATES = { perKey: 100_000, perAddress: 200_000 } as const;

/** Twice the readers of performance.md with one key, and few enough that their buffers fit into memory. */
const DEFAULT_STREAMS = { perKey: 2_000, inAll: 10_000 } as const;
/** In MB. */
const DEFAULT_UNREAD = { perKey: 64, inAll: 512 } as const;

/** Returns a class that also has the settings that limit what clients get and hold. */
export function withLimits<Base extends SettingsClass>(base: Base) {
  class LimitsEnvironment extends base {
    /** 0: no limit. */
    @IsIntegerIn(0, 1_000_000, 'requests per second')
    RATE_LIMIT_PER_KEY: number = DEFAULT_RATES.perKey;

    /** 0: no limit. */
    @IsIntegerIn(0, 1_000_000, 'requests per second')
    RATE_LIMIT_PER_ADDRESS: number = DEFAULT_RATES.perAddress;

    /** 0: no limit. */
    @IsIntegerIn(0, 1_000_000, 'streams')
    STREAM_LIMIT_PER_KEY: number = DEFAULT_STREAMS.perKey;

    /** 0: no limit. */
    @IsIntegerIn(0, 1_000_000, 'streams')
    STREAM_LIMIT: number = DEFAULT_STREAMS.inAll;

    /** 0: no limit. */
    @IsIntegerIn(0, 1_000_000, 'MB')
    UNREAD_LIMIT_PER_KEY_MB: number = DEFAULT_UNREAD.perKey;

    /** 0: no limit. */
    @IsIntegerIn(0, 1_000_000, 'MB')
    UNREAD_LIMIT_MB: number = DEFAULT_UNREAD.inAll;
  }
  return LimitsEnvironment;
}

type LimitsEnvironment = InstanceType<ReturnType<typeof withLimits<SettingsClass>>>;

const MB = 1024 * 1024;

export const limitsOf = (given: LimitsEnvironment) => ({
  ratePerKey: given.RATE_LIMIT_PER_KEY,
  ratePerAddress: given.RATE_LIMIT_PER_ADDRESS,
  streamsPerKey: given.STREAM_LIMIT_PER_KEY,
  streamsInAll: given.STREAM_LIMIT,
  unreadPerKey: given.UNREAD_LIMIT_PER_KEY_MB * MB,
  unreadInAll: given.UNREAD_LIMIT_MB * MB,
});

/** The environment of a gateway in a process of its own, with defaults. */
export class GatewayEnvironment extends withSignIn(withLimits(withTls(withEventStore(ProcessEnvironment)))) {
  @IsNotEmpty({ message: 'is required' })
  HOST = '127.0.0.1';

  @IsPort()
  PORT = 8080;

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
    ...eventStoreSettings(given),
    requestTimeoutMs: given.REQUEST_TIMEOUT_MS,
    heartbeatMs: given.EVENT_HEARTBEAT_MS,
    ...limitsOf(given),
    ...tlsOf(given),
    ...signInOf(given),
    tracesTo: given.OTEL_EXPORTER_OTLP_ENDPOINT,
    logLevel: given.LOG_LEVEL,
  };
}
