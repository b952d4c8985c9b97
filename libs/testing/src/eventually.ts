export interface EventuallyOptions {
  /** Default 10,000 ms. */
  readonly timeoutMs?: number;
  /** Between two looks; default 20 ms. */
  readonly everyMs?: number;
  /** Named in the error. */
  readonly what?: string;
}

/**
 * Polls until `check` gives something other than false, null or undefined, and gives that back. A check that throws counts as
 * not yet; its last error is the cause of the error thrown at the deadline.
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  { timeoutMs = 10_000, everyMs = 20, what = 'the condition' }: EventuallyOptions = {},
): Promise<NonNullable<Exclude<T, false>>> {
  const deadline = performance.now() + timeoutMs;
  const isThere = (value: T): value is NonNullable<Exclude<T, false>> =>
    value !== false && value !== null && value !== undefined;
  for (;;) {
    let cause: unknown;
    try {
      const value = await check();
      if (isThere(value)) return value;
    } catch (error) {
      cause = error;
    }
    if (performance.now() >= deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`, { cause });
    await new Promise(resolve => setTimeout(resolve, everyMs));
  }
}
