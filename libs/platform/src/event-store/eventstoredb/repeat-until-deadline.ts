import { setTimeout as delay } from 'node:timers/promises';
import { EventStoreUnavailableError } from '../event-store.port.js';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

export interface RepeatOptions {
  /** Milliseconds for all attempts together. */
  readonly deadlineMs: number;
  /** Ends the pauses, and thereby the repetition. */
  readonly closing: AbortSignal;
  /** Whether an attempt that failed with this error may be repeated. */
  readonly isRepeatable: (error: unknown) => boolean;
}

/**
 * Repeats an attempt with growing pauses until it succeeds, fails with an error that is not repeatable, or the deadline
 * passes. The signal of an attempt is aborted at the deadline. Rejects with EventStoreUnavailableError at the deadline,
 * else with the error of the last attempt.
 */
export async function repeatUntilDeadline<T>(
  attempt: (signal: AbortSignal, remainingMs: number) => Promise<T>,
  { deadlineMs, closing, isRepeatable }: RepeatOptions,
): Promise<T> {
  const deadline = performance.now() + deadlineMs;
  const late = new AbortController();
  let last = 'no answer';
  const timer = setTimeout(() => late.abort(tooLate(deadlineMs, last)), deadlineMs);
  try {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      const remainingMs = deadline - performance.now();
      try {
        return await attempt(late.signal, remainingMs);
      } catch (error) {
        if (late.signal.aborted || closing.aborted || !isRepeatable(error)) throw error;
        last = error instanceof Error ? error.message || error.name : String(error);
      }
      const pause = pauseMs * (0.5 + Math.random());
      if (performance.now() + pause >= deadline) throw tooLate(deadlineMs, last);
      await delay(pause, undefined, { signal: closing }).catch(() => undefined);
    }
  } finally {
    clearTimeout(timer);
  }
}

const tooLate = (deadlineMs: number, last: string): EventStoreUnavailableError =>
  new EventStoreUnavailableError(`EventStoreDB did not answer within ${deadlineMs} ms; the last error: ${last}`);

/** Resolves or rejects as the promise does, or rejects with the reason of the signal when it is aborted first. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abandon = (): void => reject(signal.reason);
    signal.addEventListener('abort', abandon, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abandon));
  });
}
