import { setTimeout as delay } from 'node:timers/promises';
import { DriverError } from '@stave/driver-sdk';
import { EngineError } from './engine-error.js';

export interface UntilOptions {
  /** What is waited for; stands in the error's message. */
  readonly what: string;
  readonly withinMs: number;
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly everyMs?: number;
  /** Asked where there is no answer yet; what it throws ends the waiting. */
  readonly stillPossible?: () => Promise<void>;
}

/**
 * Asks until the answer is not `undefined`, and returns it. A transient failure of the question counts as no answer yet.
 * Throws a transient DriverError when the time is over or the signal fires.
 */
export async function until<T>(options: UntilOptions, ask: () => Promise<T | undefined>): Promise<T> {
  const end = options.now() + options.withinMs;
  let pause = Math.min(options.everyMs ?? 100, 25);
  let last: unknown;
  for (;;) {
    if (options.signal.aborted) throw stopped(options);
    try {
      const answer = await ask();
      if (answer !== undefined) return answer;
    } catch (error) {
      if (!(error instanceof EngineError) || error.failure !== 'transient') throw error;
      last = error;
    }
    await options.stillPossible?.();
    if (options.now() >= end) {
      const seconds = Math.round(options.withinMs / 1000);
      throw new DriverError('transient', `${options.what}: not within ${seconds} s`, { cause: last });
    }
    await rest(pause, options);
    pause = Math.min(pause * 1.5, options.everyMs ?? 100);
  }
}

async function rest(ms: number, options: UntilOptions): Promise<void> {
  try {
    await delay(ms, undefined, { signal: options.signal });
  } catch (cause) {
    throw stopped(options, cause);
  }
}

function stopped(options: UntilOptions, cause: unknown = options.signal.reason): DriverError {
  return new DriverError('transient', `${options.what}: stopped before the end`, { cause });
}
