import type { Logger } from '@stave/platform';
import { lineProblems } from '@stave/service-kit';
import { decodeJwt, decodeProtectedHeader, errors, jwtVerify, type JWTPayload } from 'jose';
import { unauthenticated } from '../problems/refusals.js';
import type { IdentitySettings, IssuerSettings } from './identity-settings.js';
import { IssuerKeys } from './issuer-keys.js';
import { rolesOf, type TokenRoles } from './token-roles.js';

/** Signatures with a key pair: a shared secret, or none, proves nothing about the issuer. */
const ALGORITHMS = [
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
  ...['PS256', 'PS384', 'PS512', 'RS256', 'RS384', 'RS512'],
];

/** Clocks of issuers may differ from ours by this much. */
export const CLOCK_SKEW_MS = 30_000;
/** The most that a Date holds. */
const MAX_TIME_MS = 8.64e15;
/** Of subjects and names. */
const MAX_LENGTH = 255;

/** Whose a valid token is, and what it gives. */
export interface TokenIdentity {
  readonly method: 'jwt' | 'keystone' | 'cookie';
  readonly subject: string;
  readonly issuer: string;
  /** The claim `name`, or the subject. */
  readonly name: string;
  readonly roles: TokenRoles;
  /** The end of the token, the claim `exp`, in milliseconds since 1970. */
  readonly expiresAtMs: number;
  /** Returns false once the issuer has published other keys since the token was verified, or has not answered for a minute. */
  readonly isCurrent: () => boolean;
}

interface Issuer {
  readonly settings: IssuerSettings;
  readonly keys: IssuerKeys;
}

/** Whether a bearer has the form of a JWT: three parts, the first of which is a JSON object. */
export const looksLikeToken = (bearer: string): boolean => /^eyJ[\w-]*\.[\w-]+\.[\w-]*$/.test(bearer);

/** Verifies JWT access tokens (RFC 9068) of the issuers in the settings. */
export class TokenVerifier {
  private readonly issuers: ReadonlyMap<string, Issuer>;

  constructor({ issuers }: IdentitySettings, log: Logger) {
    const entries = issuers.map(
      settings => [settings.issuer, { settings, keys: new IssuerKeys(settings.issuer, log) }] as const,
    );
    this.issuers = new Map(entries);
  }

  get hasIssuers(): boolean {
    return this.issuers.size > 0;
  }

  /** Throws RefusedError: `unauthenticated`, or `issuer-unavailable` when the issuer must be asked and does not answer. */
  async verify(token: string): Promise<TokenIdentity> {
    try {
      const issuer = this.issuerOf(token);
      if (!issuer) throw unauthenticated();
      return await this.identityIn(token, issuer);
    } catch (error) {
      // each 401 says the same, so that nobody learns what was wrong
      if (error instanceof errors.JOSEError) throw unauthenticated();
      throw error;
    }
  }

  /** Returns the configured issuer that the token names, before anything in it is proven. */
  private issuerOf(token: string): Issuer | undefined {
    const { alg, typ } = headerOf(token);
    if (alg === undefined || !ALGORITHMS.includes(alg) || typ === undefined) return undefined;
    return this.issuers.get(String(decodeJwt(token).iss));
  }

  private async identityIn(token: string, { settings, keys }: Issuer): Promise<TokenIdentity> {
    const { payload, generation } = await this.verified(token, settings, keys);
    const { sub, exp = NaN, name } = payload;
    const expiresAtMs = exp * 1000;
    if (!isLine(sub)) throw unauthenticated();
    if (!(Math.abs(expiresAtMs) <= MAX_TIME_MS)) throw unauthenticated();
    return {
      method: 'jwt',
      subject: sub,
      issuer: settings.issuer,
      name: isLine(name) ? name : sub,
      roles: rolesOf(settings.rules, payload),
      expiresAtMs,
      isCurrent: () => keys.isCurrent(generation),
    };
  }

  private async verified(
    token: string,
    { issuer, audiences }: IssuerSettings,
    keys: IssuerKeys,
  ): Promise<{ readonly payload: JWTPayload; readonly generation: number }> {
    const options = {
      issuer,
      audience: [...audiences],
      algorithms: ALGORITHMS,
      typ: 'at+jwt',
      requiredClaims: ['exp', 'sub'],
      clockTolerance: CLOCK_SKEW_MS / 1000,
    };
    const known = await keys.current();
    try {
      return { ...(await jwtVerify(token, known.find, options)), generation: known.generation };
    } catch (error) {
      const newer = error instanceof errors.JWKSNoMatchingKey ? await keys.newer(known) : undefined;
      if (!newer) throw error;
      return { ...(await jwtVerify(token, newer.find, options)), generation: newer.generation };
    }
  }
}

export const isLine = (text: unknown): text is string =>
  typeof text === 'string' && text !== '' && text.length <= MAX_LENGTH && lineProblems(text, '').length === 0;

function headerOf(token: string): { readonly alg?: string; readonly typ?: string } {
  try {
    const { alg, typ } = decodeProtectedHeader(token);
    return { ...(typeof alg === 'string' && { alg }), ...(typeof typ === 'string' && { typ }) };
  } catch (error) {
    if (error instanceof TypeError) return {};
    throw error;
  }
}
