import { Injectable } from '@nestjs/common';
import type { IncomingHttpHeaders } from 'node:http';
import { bearerIn } from '../auth/authenticator.js';
import { invalid } from '../problems/refusals.js';
import { KeystoneAuthenticator } from './keystone-authenticator.js';
import { TokenAuthenticator } from './token-authenticator.js';
import type { TokenIdentity } from './token-verifier.js';

/** A token of a request, and how it is verified. */
export interface GivenToken {
  /** Returns the identity in a token that was verified a moment ago. */
  readonly known: () => TokenIdentity | undefined;
  /** Throws RefusedError: `unauthenticated`, `issuer-unavailable`. */
  readonly authenticate: () => Promise<TokenIdentity>;
}

/** Finds the token with which somebody has signed in, of whichever kind it is. */
@Injectable()
export class GivenTokens {
  constructor(
    private readonly tokens: TokenAuthenticator,
    private readonly keystone: KeystoneAuthenticator,
  ) {}

  /** Returns undefined for what may be an API key, or nothing. Throws RefusedError (400) for credentials of two kinds. */
  in({ authorization, 'x-auth-token': ofKeystone }: IncomingHttpHeaders): GivenToken | undefined {
    if (ofKeystone !== undefined) {
      if (authorization !== undefined) throw invalid('several-credentials', [excluded]);
      return given(this.keystone, ofKeystone.toString());
    }
    const bearer = bearerIn(authorization);
    return bearer !== undefined && this.tokens.takes(bearer) ? given(this.tokens, bearer) : undefined;
  }
}

const excluded = { pointer: 'X-Auth-Token', code: 'several-credentials', detail: 'excludes Authorization' };

const given = (by: Pick<TokenAuthenticator, 'known' | 'authenticate'>, token: string): GivenToken => ({
  known: () => by.known(token),
  authenticate: () => by.authenticate(token),
});
