import { CLOCK_SKEW_MS, type TokenIdentity } from './token-verifier.js';

interface Entry {
  readonly identity: TokenIdentity;
  readonly until: number;
}

const TTL_MS = 60_000;
const MAX_ENTRIES = 10_000;

/** Caches verified tokens by their hash: for a minute at most, not beyond their end, and not beyond a change of the keys of the issuer. */
export class TokenCache {
  private readonly entries = new Map<string, Entry>();

  get(hash: string): TokenIdentity | undefined {
    const entry = this.entries.get(hash);
    if (!entry) return undefined;
    const { identity, until } = entry;
    const isOver = identity.expiresAtMs + CLOCK_SKEW_MS <= Date.now();
    if (!isOver && until > performance.now() && identity.isCurrent()) return identity;
    this.entries.delete(hash);
    return undefined;
  }

  put(hash: string, identity: TokenIdentity): void {
    const [oldest] = this.entries.keys();
    if (oldest !== undefined && this.entries.size >= MAX_ENTRIES) this.entries.delete(oldest);
    this.entries.set(hash, { identity, until: performance.now() + TTL_MS });
  }
}
