/** Injection token of the terms on which members register. */
export const RING_TERMS = Symbol('RingTerms');

/** What a member agrees to when it registers. */
export interface RingTerms {
  /** Id of the installation. */
  readonly installation: string;
  readonly heartbeatMs: number;
  /** A session ends after this time without a heartbeat. */
  readonly sessionTimeoutMs: number;
}
