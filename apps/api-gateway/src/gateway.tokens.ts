/** Injection tokens of the dependencies that `createGateway` receives. */
export const MESSAGING = Symbol('messaging');
export const EVENT_STORE = Symbol('event-store');
export const LOG = Symbol('log');
export const SETTINGS = Symbol('settings');

/** A structured log, such as a pino logger. */
export interface GatewayLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface GatewaySettings {
  /** The deadline of a request to a service in milliseconds; default 10,000. */
  readonly requestTimeoutMs: number;
  /** The time between two comment lines of an event stream in milliseconds; default 15,000. */
  readonly heartbeatMs: number;
  /** The bytes that can wait for a reader of the event stream before it is disconnected; default 1 MB. */
  readonly slowReaderBytes: number;
}
