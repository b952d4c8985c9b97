/** Injection token of the settings that members are given when they register. */
export const SESSION_SETTINGS = Symbol('SessionSettings');

/** What a registration is answered with besides the session itself. */
export interface SessionSettings {
  readonly installation: string;
  readonly heartbeatMs: number;
  /** A session ends after this time without a heartbeat. */
  readonly sessionTimeoutMs: number;
}
