/** Injection tokens of the dependencies that `createGateway` receives. */
export const MESSAGING = Symbol('messaging');
export const EVENT_STORE = Symbol('event-store');
export const LOG = Symbol('log');
export const SETTINGS = Symbol('settings');

export interface GatewaySettings {
  /** The deadline of one request to a service. */
  readonly requestTimeoutMs: number;
  /** The time between two comment lines of an event stream. */
  readonly heartbeatMs: number;
  /** The bytes that can wait for a reader before it is disconnected. */
  readonly slowReaderBytes: number;
}
