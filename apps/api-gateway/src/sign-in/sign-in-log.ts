import type { Logger } from '@stave/platform';
import { TokenBuckets } from '../limits/token-buckets.js';

/** Lines about failed sign-ins, which anybody can cause, for each issuer. */
const LINES_PER_SECOND = 1;

/** Says why sign-ins fail, at most once a second for each issuer; more is logged as `debug`. */
export class SignInLog {
  private readonly lines: TokenBuckets;

  constructor(
    private readonly log: Logger,
    now?: () => number,
  ) {
    this.lines = new TokenBuckets(LINES_PER_SECOND, now);
  }

  failed(issuer: string, reason: string, more: object = {}): void {
    const level = this.lines.take(issuer) === 0 ? 'warn' : 'debug';
    this.log[level]({ ...more, issuer }, reason);
  }
}
