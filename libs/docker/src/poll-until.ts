import { setTimeout as delay } from 'node:timers/promises';
import { DriverError, type DriverContext } from '@stave/driver-sdk';
import { EngineError } from './engine-error.js';

export interface PollOptions {
  /** Names the condition in the message of the error. */
  readonly what: string;
  readonly withinMs: number;
  /** The longest pause between two queries; default 100. */
  readonly everyMs?: number;
  /** Called after each query without a result; an error that it throws ends the polling. */
  readonly requirePossible?: () => Promise<void>;
}

/**
 * Repeats a query until its result is not `undefined`, and returns the result. A transient EngineError of the query counts as no result.
 * Throws a transient DriverError when the time has passed or the signal fires.
 */
export async function pollUntil<T>(
  { signal, now }: Pick<DriverContext, 'signal' | 'now'>,
  { what, withinMs, everyMs = 100, requirePossible }: PollOptions,
  query: () => Promise<T | undefined>,
): Promise<T> {
  const end = now() + withinMs;
  let last: unknown;
  for (let pause = Math.min(everyMs, 25); ; pause = Math.min(pause * 1.5, everyMs)) {
    if (signal.aborted) throw stopped(what, signal.reason);
    try {
      const result = await query();
      if (result !== undefined) return result;
    } catch (error) {
      if (!(error instanceof EngineError) || error.failure !== 'transient') throw error;
      last = error;
    }
    await requirePossible?.();
    if (now() >= end) {
      const seconds = Math.round(withinMs / 1000);
      throw new DriverError('transient', `${what}: not complete within ${seconds} s`, { cause: last });
    }
    await delay(pause, undefined, { signal }).catch((cause: unknown) => {
      throw stopped(what, cause);
    });
  }
}

function stopped(what: string, cause: unknown): DriverError {
  return new DriverError('transient', `${what}: stopped by the signal of the call`, { cause });
}
