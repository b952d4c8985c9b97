import { IsIn, IsNotEmpty, Matches, ValidateBy } from 'class-validator';
import { isWebSocketNats, serversIn } from '../transport/insecure-settings.js';
import type { NatsOptions } from '../messaging/nats/nats-connection.js';

/** Accepts integers of this range, given in this unit. */
export const IsIntegerIn = (min: number, max: number, unit = ''): PropertyDecorator =>
  ValidateBy({
    name: 'isIntegerIn',
    validator: {
      validate: value => Number.isInteger(value) && value >= min && value <= max,
      defaultMessage: () =>
        `must be an integer ${max === Infinity ? `of at least ${min}` : `from ${min} to ${max}`} ${unit}`.trim(),
    },
  });

export const IsPort = (): PropertyDecorator => IsIntegerIn(0, 65_535);

/** Accepts a setting that is given together with another one, or not at all. */
export const IsTogether = (other: string): PropertyDecorator =>
  ValidateBy({
    name: 'isTogether',
    validator: {
      validate: (value, given) => (value === '') === (Object(given?.object)[other] === ''),
      defaultMessage: () => `must be given together with ${other}`,
    },
  });

/** Accepts servers of NATS that are reached in one way: over WebSockets (`wss://`), or over TCP. */
export const IsNatsServers = (): PropertyDecorator =>
  ValidateBy({
    name: 'isNatsServers',
    validator: {
      validate: value => {
        const servers = serversIn(String(value));
        if (servers.some(server => /^ws:\/\//i.test(server.trim()))) return false;
        return servers.every(isWebSocketUrl) || !servers.some(isWebSocketNats);
      },
      defaultMessage: () => 'takes addresses nats://host:port or tls://host:port, or addresses wss://host only',
    },
  });

const isWebSocketUrl = (server: string): boolean => isWebSocketNats(server) && URL.canParse(server.trim());

/** The prefix of stream names. Without a dash, because EventStoreDB ends a category at the first dash. */
export const STREAM_PREFIX = /^[A-Za-z0-9._]{0,40}$/;
export const STREAM_PREFIX_RULE = 'takes at most 40 letters, digits, dots and underscores';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export const LOG_LEVEL_RULE = `must be one of ${LOG_LEVELS.join(', ')}`;

export const OTLP = /^(https?:\/\/\S+)?$/;
export const OTLP_RULE = 'takes a URL http://host:port';

/** The environment variables of every process that reaches the others over NATS. */
export class ProcessEnvironment {
  @IsNotEmpty({ message: 'is required' })
  @IsNatsServers()
  NATS_URL = 'nats://127.0.0.1:4222';

  NATS_USER = '';

  NATS_PASSWORD = '';

  /** A file in place of NATS_PASSWORD, read at each attempt to connect. */
  NATS_PASSWORD_FILE = '';

  NATS_TOKEN = '';

  /** A file in place of NATS_TOKEN, read at each attempt to connect. */
  NATS_TOKEN_FILE = '';

  /** The authorities that sign the certificates of NATS (PEM), in place of those of Node.js. */
  NATS_CA_FILE = '';

  /** The certificate by which NATS knows this process; with NATS_KEY_FILE. */
  @IsTogether('NATS_KEY_FILE')
  NATS_CERT_FILE = '';

  @IsTogether('NATS_CERT_FILE')
  NATS_KEY_FILE = '';

  /** The seed of an nkey by which NATS knows this process. */
  NATS_NKEY_FILE = '';

  /** The collector that gets the spans of this process by OTLP over HTTP, without `/v1/traces`. Empty: nothing is traced. */
  @Matches(OTLP, { message: OTLP_RULE })
  OTEL_EXPORTER_OTLP_ENDPOINT = '';

  @IsIn(LOG_LEVELS, { message: LOG_LEVEL_RULE })
  LOG_LEVEL = 'info';
}

/** The server and the credentials with which a process connects to NATS. */
export type NatsSettings = Pick<
  NatsOptions,
  'servers' | 'user' | 'pass' | 'passFile' | 'token' | 'tokenFile' | 'caFile' | 'certFile' | 'keyFile' | 'nkeyFile'
>;

/** Returns the connection settings without the credentials that are empty. */
export function natsSettings(given: ProcessEnvironment): NatsSettings {
  const { NATS_URL: servers, NATS_USER: user, NATS_PASSWORD: pass, NATS_PASSWORD_FILE: passFile } = given;
  const { NATS_TOKEN: token, NATS_TOKEN_FILE: tokenFile } = given;
  const { NATS_CA_FILE: caFile, NATS_CERT_FILE: certFile, NATS_KEY_FILE: keyFile, NATS_NKEY_FILE: nkeyFile } = given;
  return {
    servers,
    ...(user && { user }),
    ...(pass && { pass }),
    ...(passFile && { passFile }),
    ...(token && { token }),
    ...(tokenFile && { tokenFile }),
    ...(caFile && { caFile }),
    ...(certFile && { certFile }),
    ...(keyFile && { keyFile }),
    ...(nkeyFile && { nkeyFile }),
  };
}
