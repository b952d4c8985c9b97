import { Injectable } from '@nestjs/common';
import { bearerIn } from '../auth/authenticator.js';
import type { GatewayRequest } from '../http/call.js';
import { invalid } from '../problems/refusals.js';
import { WebSessions } from '../sign-in/web-sessions.js';
import { KeystoneAuthenticator } from './keystone-authenticator.js';
import { TokenAuthenticator } from './token-authenticator.js';
import type { TokenIdentity } from './token-verifier.js';

/** A token of a request, and how it is verified. */
export interface GivenToken {
  /** Throws RefusedError (403) for a request that no page of this product has made. Absent: browsers send it for such pages only. */
  readonly requireOwnOrigin?: () => void;
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
    private readonly sessions: WebSessions,
  ) {}

  /** Returns undefined for what may be an API key, or nothing. Throws RefusedError (400) for credentials of two kinds. */
  in(request: GatewayRequest): GivenToken | undefined {
    const { authorization, 'x-auth-token': ofKeystone } = request.headers;
    if (ofKeystone !== undefined) {
      if (authorization !== undefined) throw invalid('several-credentials', [excluded]);
      return given(this.keystone, ofKeystone.toString());
    }
    // a cookie is sent with everything: what a client adds itself decides
    if (authorization === undefined) return this.ofSession(request);
    const bearer = bearerIn(authorization);
    return bearer !== undefined && this.tokens.takes(bearer) ? given(this.tokens, bearer) : undefined;
  }

  private ofSession(request: GatewayRequest): GivenToken | undefined {
    const session = this.sessions.in(request);
    return (
      session && {
        requireOwnOrigin: () => this.sessions.requireOwnOrigin(request),
        known: () => this.sessions.known(session, request),
        authenticate: () => this.sessions.authenticate(session, request),
      }
    );
  }
}

const excluded = { pointer: 'X-Auth-Token', code: 'several-credentials', detail: 'excludes Authorization' };

const given = (by: Pick<TokenAuthenticator, 'known' | 'authenticate'>, token: string): GivenToken => ({
  known: () => by.known(token),
  authenticate: () => by.authenticate(token),
});
