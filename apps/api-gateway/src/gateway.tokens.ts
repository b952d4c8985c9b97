import type { IdentitySettings } from './identity/identity-settings.js';

/** Injection tokens of the dependencies that `createGateway` receives. */
export const MESSAGING = Symbol('messaging');
export const EVENT_STORE = Symbol('event-store');
export const LOG = Symbol('log');
export const SETTINGS = Symbol('settings');

export interface GatewaySettings {
  /** The deadline of a request to a service in milliseconds; default 10,000. */
  readonly requestTimeoutMs: number;
  /** The time between two comment lines of an event stream in milliseconds; default 15,000. */
  readonly heartbeatMs: number;
  /** The time between two reports of when API keys were used, in milliseconds; default 15,000. */
  readonly keyUseReportMs: number;
  /** The bytes that can wait for a reader of the event stream before it is disconnected; default 1 MB. */
  readonly slowReaderBytes: number;
  /** Requests per second of one API key; 0: no limit. */
  readonly ratePerKey: number;
  /** Requests per second of one address; 0: no limit. Wrong keys are limited to a tenth of it. */
  readonly ratePerAddress: number;
  /** Event streams and followed logs of one API key at a time; 0: no limit. */
  readonly streamsPerKey: number;
  /** Event streams and followed logs of all keys at a time; 0: no limit. */
  readonly streamsInAll: number;
  /** Bytes of answers that the clients of one API key have not read; 0: no limit. */
  readonly unreadPerKey: number;
  /** Bytes of answers that all clients have not read; 0: no limit. */
  readonly unreadInAll: number;
  /** The time that a client has to send the headers of a request, in milliseconds; default 10,000. */
  readonly headersTimeoutMs: number;
  /** The time that a client has to send a complete request, in milliseconds; default 30,000. */
  readonly receiveTimeoutMs: number;
  /** The time that a client has to read an answer that is no stream, or a page of an event stream that catches up, in milliseconds; default 60,000. */
  readonly readTimeoutMs: number;
  /** Whose tokens are accepted beside API keys; default: nobody's. */
  readonly identity: IdentitySettings;
  /** The URL by which browsers reach this product; empty: browsers do not sign in at issuers. */
  readonly publicUrl: string;
  /** The path of a file with the keys that sessions of browsers are sealed with; empty: they are derived from the secrets of the clients. */
  readonly sessionKeyFile: string;
  /** Returns why a service of the same process changes nothing any more; undefined while all do. Absent: there is none. */
  readonly eventsProblem?: () => string | undefined;
}
