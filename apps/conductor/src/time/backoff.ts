export interface BackoffSettings {
  readonly baseMs: number;
  readonly maxMs: number;
}

/** Milliseconds before try `attempt` + 1 (counted from 0): doubling, bounded, the upper half of it random. */
export function backoffMs(attempt: number, { baseMs, maxMs }: BackoffSettings, random = Math.random): number {
  const full = Math.min(maxMs, baseMs * 2 ** Math.min(attempt, 30));
  return full / 2 + (random() * full) / 2;
}

/** `ms` with up to `share` of it added or taken away, so that many conductors do not act in step. */
export function jitter(ms: number, share: number, random = Math.random): number {
  return ms * (1 - share + 2 * share * random());
}
