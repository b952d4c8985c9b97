import { setTimeout as delay } from 'node:timers/promises';

/** The time of the fake cloud. */
export interface CloudClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after the time; rejects when the signal fires. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export const systemCloudClock: CloudClock = {
  now: Date.now,
  wait: (ms, signal) => delay(ms, undefined, { signal }),
};
