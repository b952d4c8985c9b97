import type { ConductorTimes } from '../config/conductor.settings.js';

/** Returns the milliseconds before the next attempt; `attempt` counts from 0. Doubles up to `maxMs`; the upper half is random. */
export function backoffMs(attempt: number, { baseMs, maxMs }: ConductorTimes['retry']): number {
  const full = Math.min(maxMs, baseMs * 2 ** Math.min(attempt, 30));
  return full / 2 + (Math.random() * full) / 2;
}

/** Adds a random part of at most ±`share` to `ms`, so that conductors do not act at the same time. */
export function jitter(ms: number, share = 0.2): number {
  return ms * (1 - share + 2 * share * Math.random());
}
