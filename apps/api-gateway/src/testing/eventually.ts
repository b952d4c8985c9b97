import { setTimeout as delay } from 'node:timers/promises';

/** Waits until the condition holds; fails with `what` after the deadline. */
export async function eventually(
  what: string,
  condition: () => boolean | Promise<boolean>,
  deadlineMs = 5000,
): Promise<void> {
  const end = Date.now() + deadlineMs;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`not within ${deadlineMs} ms: ${what}`);
    await delay(5);
  }
}
