import { Inject, Injectable } from '@nestjs/common';
import { getOrCreate } from '@stave/domain';
import type { Logger } from '@stave/platform';
import { LOG, SETTINGS, type GatewaySettings } from '../gateway.tokens.js';
import { hashOf } from './bearer-hash.js';
import { tokenCache } from './token-cache.js';
import { looksLikeToken, TokenVerifier, type TokenIdentity } from './token-verifier.js';

/** Finds whose a bearer token is. Tokens are kept as hashes only and never logged. */
@Injectable()
export class TokenAuthenticator {
  private readonly verifier: TokenVerifier;
  private readonly cache = tokenCache();
  private readonly verifying = new Map<string, Promise<TokenIdentity>>();

  constructor(@Inject(SETTINGS) { identity }: GatewaySettings, @Inject(LOG) log: Logger) {
    this.verifier = new TokenVerifier(identity, log);
  }

  /** Whether a bearer is to be verified here: it has the form of a token, and there are issuers. Everything else may be an API key. */
  takes(bearer: string): boolean {
    return this.verifier.hasIssuers && looksLikeToken(bearer);
  }

  /** Returns the identity in a token that was verified a moment ago. */
  known(token: string): TokenIdentity | undefined {
    return this.cache.get(hashOf(token));
  }

  /** Verifies a token, once for concurrent requests. Throws RefusedError: `unauthenticated`, `issuer-unavailable`. */
  authenticate(token: string): Promise<TokenIdentity> {
    const hashed = hashOf(token);
    return getOrCreate(this.verifying, hashed, () =>
      this.verify(token, hashed).finally(() => this.verifying.delete(hashed)),
    );
  }

  private async verify(token: string, hashed: string): Promise<TokenIdentity> {
    const identity = await this.verifier.verify(token);
    this.cache.put(hashed, identity);
    return identity;
  }
}
