/** Injection tokens of what `createGateway` is given. */
export const MESSAGING = Symbol('messaging');
export const EVENT_STORE = Symbol('event-store');
export const LOG = Symbol('log');
export const SETTINGS = Symbol('settings');

export interface GatewaySettings {
  /** Deadline of one request to a service. */
  readonly requestTimeoutMs: number;
  /** Between two comment lines of an event stream. */
  readonly heartbeatMs: number;
  /** A reader that has more than this waiting is cut off. */
  readonly slowReaderBytes: number;
}
