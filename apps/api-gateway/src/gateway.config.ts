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
} from '@stave/platform';
import { IsNotEmpty, Matches } from 'class-validator';
import { identityOf, IsIdentityFile } from './identity/identity-file.js';

/** Requests per second, several times what one process answers: seen so far are 23,000 on two cores. */
export const DEFAULT_RATES = { perKey: 100_000, perAddress: 200_000 } as const;

/** Twice the readers of performance.md with one key, and few enough that their buffers fit into memory. */
export const DEFAULT_STREAMS = { perKey: 2_000, inAll: 10_000 } as const;
/** In MB. */
export const DEFAULT_UNREAD = { perKey: 64, inAll: 512 } as const;

/** The settings that limit what clients get and hold. */
export interface LimitsEnvironment {
  readonly RATE_LIMIT_PER_KEY: number;
  readonly RATE_LIMIT_PER_ADDRESS: number;
  readonly STREAM_LIMIT_PER_KEY: number;
  readonly STREAM_LIMIT: number;
  readonly UNREAD_LIMIT_PER_KEY_MB: number;
  readonly UNREAD_LIMIT_MB: number;
}

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
export class GatewayEnvironment extends ProcessEnvironment {
  @IsNotEmpty({ message: 'is required' })
  HOST = '127.0.0.1';

  @IsPort()
  PORT = 8080;

  /** The certificate that clients see, with its chain (PEM); with TLS_KEY_FILE. Empty: without TLS. */
  @IsTogether('TLS_KEY_FILE')
  TLS_CERT_FILE = '';

  @IsTogether('TLS_CERT_FILE')
  TLS_KEY_FILE = '';

  /** A JSON file with the issuers of tokens, and the roles that their claims give. Empty: API keys only. */
  @IsIdentityFile()
  IDENTITY_FILE = '';

  @IsNotEmpty({ message: 'is required' })
  EVENTSTORE_URL = 'esdb://127.0.0.1:2113?tls=false';

  /** The prefix of all stream names, as for services. */
  @Matches(STREAM_PREFIX, { message: STREAM_PREFIX_RULE })
  EVENTSTORE_STREAM_PREFIX = '';

  /** The deadline of one request to a service. */
  @IsIntegerIn(100, 120_000, 'milliseconds')
  REQUEST_TIMEOUT_MS = 10_000;

  /** The time between two comment lines of an event stream. */
  @IsIntegerIn(100, Infinity, 'milliseconds')
  EVENT_HEARTBEAT_MS = 15_000;

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

/** Reads the environment; an empty value counts as absent. Throws BadEnvironmentError with all problems. */
export function gatewayConfig(env: Environment) {
  const given = readEnvironment(GatewayEnvironment, env);
  return {
    host: given.HOST,
    port: given.PORT,
    nats: natsSettings(given),
    eventStoreUrl: given.EVENTSTORE_URL,
    streamPrefix: given.EVENTSTORE_STREAM_PREFIX,
    requestTimeoutMs: given.REQUEST_TIMEOUT_MS,
    heartbeatMs: given.EVENT_HEARTBEAT_MS,
    ...limitsOf(given),
    ...tlsOf(given),
    identity: identityOf(given.IDENTITY_FILE),
    logLevel: given.LOG_LEVEL,
  };
}
