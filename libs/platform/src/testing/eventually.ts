export interface EventuallyOptions {
  /** Milliseconds until the check counts as failed; default 60,000. */
  readonly timeoutMs?: number;
  /** Milliseconds between two checks; default 10. */
  readonly everyMs?: number;
  /** Names the condition in the error message. */
  readonly what?: string;
}

/**
 * Calls `check` repeatedly until it returns something other than false, null or undefined, and returns that value. A
 * check that throws counts as not fulfilled. Throws at the deadline, with the last error of the check as cause. A
 * string in place of the options names the condition.
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  options: string | EventuallyOptions = {},
): Promise<NonNullable<Exclude<T, false>>> {
  const { timeoutMs = 60_000, everyMs = 10, what = 'the condition' } = asOptions(options);
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    let cause: unknown;
    try {
      const value = await check();
      if (isFulfilled(value)) return value;
    } catch (error) {
      cause = error;
    }
    if (performance.now() >= deadline) throw new Error(`not fulfilled within ${timeoutMs} ms: ${what}`, { cause });
    await new Promise(resolve => setTimeout(resolve, everyMs));
  }
}

const asOptions = (options: string | EventuallyOptions): EventuallyOptions =>
  typeof options === 'string' ? { what: options } : options;

const isFulfilled = <T>(value: T): value is NonNullable<Exclude<T, false>> =>
  value !== false && value !== null && value !== undefined;
