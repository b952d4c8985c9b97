/** Injection token of the terms on which members register. */
export const RING_TERMS = Symbol('RingTerms');

/** The terms that a registration is answered with. */
export interface RingTerms {
  readonly installation: string;
  readonly heartbeatMs: number;
  /** A session ends after this time without a heartbeat. */
  readonly sessionTimeoutMs: number;
}
