import type { FailureClass } from '@stave/driver-sdk';

export interface RetryPolicy {
  readonly maxAttempts: number;
  readonly baseMs: number;
  readonly maxMs: number;
}

export const defaultRetryPolicy: RetryPolicy = { maxAttempts: 6, baseMs: 500, maxMs: 30_000 };

/**
 * Milliseconds until the next attempt, or undefined when there is none (retries exhausted). Exponential back-off with equal jitter
 * (half fixed, half random; Brooker, "Exponential Backoff and Jitter"). `random` is in [0, 1).
 */
export function retryDelayMs(
  failure: FailureClass,
  failures: number,
  random: number,
  policy: RetryPolicy = defaultRetryPolicy,
): number | undefined {
  const retriable = failure === 'transient' || failure === 'conflict' || failure === 'capacity';
  if (!retriable || failures >= policy.maxAttempts) return undefined;
  const ceiling = Math.min(policy.maxMs, policy.baseMs * 2 ** (failures - 1));
  return Math.round(ceiling / 2 + (random * ceiling) / 2);
}
