import { Inject, Injectable } from '@nestjs/common';
import { RefusedError } from '@stave/contracts';
import { SETTINGS, type GatewaySettings } from '../gateway.tokens.js';
import { TokenBuckets } from './token-buckets.js';

/** Wrong keys are limited sooner than requests: to a tenth of them, and to this many per second at most. */
const MAX_WRONG_KEYS = 100;
const WRONG_KEY_SHARE = 0.1;

function limited(waitMs: number, what: string): void {
  if (waitMs === 0) return;
  const detail = `too many requests ${what}; repeat the request later`;
  throw new RefusedError({ code: 'rate-limited', kind: 'rate', detail, retryAfterMs: waitMs });
}

/** The network of a client: one IPv6 customer has at least 2^64 addresses. */
export const clientOf = (address: string): string =>
  address.includes(':') && !address.startsWith('::ffff:') ? address.split(':').slice(0, 4).join(':') : address;

/** Refuses requests beyond the rates of the settings. Each gateway process counts for itself. */
@Injectable()
export class RequestLimits {
  private readonly addresses: TokenBuckets;
  private readonly keys: TokenBuckets;
  private readonly wrongKeys: TokenBuckets;

  constructor(@Inject(SETTINGS) { ratePerKey, ratePerAddress }: GatewaySettings) {
    this.addresses = new TokenBuckets(ratePerAddress);
    this.keys = new TokenBuckets(ratePerKey);
    const wrong = Math.min(MAX_WRONG_KEYS, ratePerAddress * WRONG_KEY_SHARE);
    this.wrongKeys = new TokenBuckets(ratePerAddress === 0 ? 0 : wrong);
  }

  /** Throws RefusedError `rate-limited` (429). */
  fromAddress(address: string): void {
    limited(this.addresses.take(clientOf(address)), 'from this address');
  }

  /** Throws RefusedError `rate-limited` (429). */
  withKey(keyId: string): void {
    limited(this.keys.take(keyId), 'with this key');
  }

  /** Checks, before a key is verified, how many keys of this address were wrong. Throws RefusedError `rate-limited` (429). */
  beforeVerification(address: string): void {
    limited(this.wrongKeys.waitMs(clientOf(address)), 'with wrong keys from this address');
  }

  noteWrongKey(address: string): void {
    this.wrongKeys.take(clientOf(address));
  }
}
