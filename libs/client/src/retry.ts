import { ConnectionError, ProblemError } from './errors.js';

export interface RetryOptions {
  /** The most attempts of one request; default 5. */
  readonly attempts?: number;
  /** The pause before the second attempt, in milliseconds, which doubles with each attempt; default 250. A random part is subtracted. */
  readonly delayMs?: number;
  /** The longest pause, in milliseconds; default 60,000. A request whose `Retry-After` is longer is not repeated. */
  readonly maxDelayMs?: number;
}

/** The server is overloaded or unreachable, or a proxy reports that. */
const retried: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export const isRetried = (error: unknown): error is ConnectionError | ProblemError =>
  error instanceof ConnectionError || (error instanceof ProblemError && retried.has(error.status));

export class Retries {
  readonly attempts: number;
  private readonly delayMs: number;
  private readonly maxDelayMs: number;

  constructor({ attempts = 5, delayMs = 250, maxDelayMs = 60_000 }: RetryOptions = {}) {
    this.attempts = attempts;
    this.delayMs = delayMs;
    this.maxDelayMs = maxDelayMs;
  }

  /** Returns the pause after the attempt with this number, in milliseconds; undefined when the error is final. */
  delayAfter(attempt: number, error: unknown, attempts = this.attempts): number | undefined {
    if (!isRetried(error) || attempt >= attempts) return undefined;
    const asked = error instanceof ProblemError ? error.retryAfterMs : undefined;
    if (asked !== undefined) return asked > this.maxDelayMs ? undefined : asked;
    return this.backoff(attempt);
  }

  backoff(attempt: number): number {
    const longest = Math.min(this.maxDelayMs, this.delayMs * 2 ** Math.min(attempt - 1, 20));
    return longest * (1 - Math.random() / 2);
  }
}

/** Parses `Retry-After`, in seconds or as a date, into milliseconds. */
export function retryAfterMs(header: string | null): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
