import { setTimeout as delay } from 'node:timers/promises';
import { EventStoreUnavailableError } from '../event-store.port.js';
import { CallDeadline } from './call-deadline.js';

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
 * passes. An attempt must end at the deadline, which it is given. Rejects with EventStoreUnavailableError at the deadline,
 * else with the error of the last attempt.
 */
export async function repeatUntilDeadline<T>(
  attempt: (late: CallDeadline, remainingMs: number) => Promise<T>,
  { deadlineMs, closing, isRepeatable }: RepeatOptions,
): Promise<T> {
  const deadline = performance.now() + deadlineMs;
  const late = new CallDeadline();
  let last = 'no answer';
  const timer = setTimeout(() => late.pass(tooLate(deadlineMs, last)), deadlineMs);
  try {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      if (late.reason) throw late.reason;
      const remainingMs = deadline - performance.now();
      try {
        return await attempt(late, remainingMs);
      } catch (error) {
        if (late.reason || closing.aborted || !isRepeatable(error)) throw error;
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
