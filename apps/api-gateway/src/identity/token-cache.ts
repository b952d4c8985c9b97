import { HashCache } from '../auth/hash-cache.js';
import { CLOCK_SKEW_MS, type TokenIdentity } from './token-verifier.js';

const TTL_MS = 60_000;

/** A cache of verified tokens: for a minute at most, not beyond their end, and not beyond a change of the keys of the issuer. */
export const tokenCache = (): HashCache<TokenIdentity> =>
  new HashCache({
    ttlMs: TTL_MS,
    isValid: identity => identity.expiresAtMs + CLOCK_SKEW_MS > Date.now() && identity.isCurrent(),
  });
