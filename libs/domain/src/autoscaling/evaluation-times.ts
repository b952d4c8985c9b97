import { murmur3 } from '../ring/murmur3.js';

/**
 * Returns when a set is evaluated next, in milliseconds: each interval at a second that follows from its id, so that sets do not come all at
 * once, and a repetition of the past evaluates at the same instants.
 */
export function nextEvaluationMs(setId: string, intervalSeconds: number, afterMs: number): number {
  const phase = murmur3(setId, 0) % intervalSeconds;
  const intervals = Math.floor((afterMs / 1000 - phase) / intervalSeconds) + 1;
  return 1000 * (intervals * intervalSeconds + phase);
}

/** The least and the longest time between two samples of a container, in milliseconds. */
const SAMPLING_MS = { least: 1_000, longest: 10_000 };

/** Returns the milliseconds between two samples of a container: a fifth of the shortest window, in seconds, that something needs. */
export const samplingPeriodMs = (shortestWindowSeconds: number): number =>
  Math.min(SAMPLING_MS.longest, Math.max(SAMPLING_MS.least, shortestWindowSeconds * 200));
