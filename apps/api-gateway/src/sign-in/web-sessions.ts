import { Inject, Injectable } from '@nestjs/common';
import { RefusedError } from '@stave/contracts';
import { getOrCreate } from '@stave/domain';
import type { Logger } from '@stave/platform';
import { decodeJwt } from 'jose';
import { ResponseBodyError } from 'openid-client';
import { LOG } from '../gateway.tokens.js';
import type { GatewayRequest } from '../http/call.js';
import { hashOf } from '../identity/bearer-hash.js';
import { rolesOf } from '../identity/token-roles.js';
import { TokenAuthenticator } from '../identity/token-authenticator.js';
import type { TokenIdentity } from '../identity/token-verifier.js';
import { unauthenticated } from '../problems/refusals.js';
import { cookie, cookieIn, SESSION_COOKIE } from './cookies.js';
import { described, type Tokens } from './issuer-client.js';
import { requireOwnOrigin } from './own-origin.js';
import { claimsForRules, sessionIn, sessionText, type Session } from './session.js';
import { issuerUnavailable, WebIssuers, type WebIssuer } from './web-issuers.js';

/** Sessions are renewed this long before they end, and in the last third of a shorter one. */
const RENEW_MS = 60_000;
/** For how long requests with a former cookie get the renewed session: the browser has sent them at the same time. */
const REMEMBER_MS = 60_000;
const MAX_RENEWALS = 10_000;
/** An issuer that has not answered is not asked again for this long. */
const PAUSE_MS = 5_000;
/** Browsers keep cookies of up to 4,096 bytes, with name and attributes. */
const MAX_COOKIE = 3_900;

interface Renewal {
  readonly renewed: Promise<Session>;
  session?: Session;
}

/** The sessions of browsers. All of a session is in its cookie, sealed: every gateway reads it, and none keeps any. */
@Injectable()
export class WebSessions {
  /** By the hash of the refresh token, which many issuers take once only. */
  private readonly renewals = new Map<string, Renewal>();
  private readonly failedAt = new Map<string, number>();

  constructor(
    private readonly issuers: WebIssuers,
    private readonly tokens: TokenAuthenticator,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Returns the session in the cookie of a request; undefined when it has no cookie of ours, or one that nobody of us has sealed. */
  in({ headers }: Pick<GatewayRequest, 'headers'>): Session | undefined {
    const sealed = cookieIn(headers.cookie, SESSION_COOKIE);
    const text = sealed === undefined ? undefined : this.issuers.seal.open(sealed, SESSION_COOKIE);
    return text === undefined ? undefined : sessionIn(text);
  }

  /** Throws RefusedError (403) for a change that another site makes a browser send. */
  requireOwnOrigin(request: Pick<GatewayRequest, 'headers'>): void {
    requireOwnOrigin(request, this.issuers.origin);
  }

  /** Returns what a session admits at once: undefined when it must be renewed before, or has ended. */
  known(session: Session, request: GatewayRequest): TokenIdentity | undefined {
    if (!isDue(session)) return this.identityOf(session);
    const latest = this.latest(session);
    if (isDue(latest)) return undefined;
    this.give(request, latest);
    return this.identityOf(latest);
  }

  /** Renews a session when that is due. Throws RefusedError: `unauthenticated`, `issuer-unavailable`. */
  async authenticate(given: Session, request: GatewayRequest): Promise<TokenIdentity> {
    const session = this.latest(given);
    const issuer = this.issuers.all.get(session.issuer);
    const isOver = session.expiresAtMs <= Date.now();
    if (!issuer || (isOver && session.refreshToken === undefined)) throw unauthenticated();
    if (!isDue(session) || session.refreshToken === undefined) return this.required(session);
    try {
      const renewed = await this.renewed(session, session.refreshToken, issuer);
      this.give(request, renewed);
      return this.required(renewed);
    } catch (error) {
      const isAway = error instanceof RefusedError && error.error.kind === 'unavailable';
      if (!isAway || isOver) throw error;
      return this.required(session);
    }
  }

  /** Verifies an access token and returns the session with it. Throws RefusedError, and what the verification throws. */
  async begin({ settings }: WebIssuer, { accessToken, refreshToken }: Tokens): Promise<Session> {
    const { subject, name, expiresAtMs } = await this.tokens.authenticate(accessToken);
    return {
      ...{ issuer: settings.issuer, subject, name, expiresAtMs, sinceMs: Date.now() },
      claims: claimsForRules(settings.rules, decodeJwt(accessToken)),
      ...(refreshToken !== undefined && { refreshToken }),
    };
  }

  /** Returns the `Set-Cookie` header of a session. A refresh token for which the cookie has no room is left out. */
  cookieOf(session: Session): string {
    const sealed = this.issuers.seal.seal(sessionText(session), SESSION_COOKIE);
    if (sealed.length <= MAX_COOKIE) return cookie(SESSION_COOKIE, sealed);
    const { refreshToken, ...short } = session;
    if (refreshToken === undefined) throw new Error('the claims of a session are too long for a cookie');
    this.log.warn({ issuer: session.issuer }, 'a refresh token is too long for a cookie: its session is not renewed');
    return this.cookieOf(short);
  }

  /** Ends the refresh token of a session. What fails is logged: the browser has lost its cookie anyway. */
  async end(session: Session): Promise<void> {
    const { refreshToken, issuer } = this.latest(session);
    try {
      if (refreshToken !== undefined) await this.issuers.all.get(issuer)?.client.revoke(refreshToken);
    } catch (err) {
      this.log.warn({ err: described(err), issuer }, 'the issuer did not end a refresh token');
    }
  }

  /** What a session has become since its cookie was given, as far as that is remembered; most issuers keep the refresh token, some replace it. */
  private latest(session: Session): Session {
    const seen = new Set<string>();
    for (let latest = session; ;) {
      const key = renewalKey(latest);
      const next = this.renewals.get(key)?.session;
      if (!next || seen.has(key)) return latest;
      seen.add(key);
      latest = next;
    }
  }

  private required(session: Session): TokenIdentity {
    const identity = this.identityOf(session);
    if (!identity) throw unauthenticated();
    return identity;
  }

  private identityOf({ issuer, subject, name, claims, expiresAtMs }: Session): TokenIdentity | undefined {
    const settings = this.issuers.all.get(issuer)?.settings;
    if (!settings || expiresAtMs <= Date.now()) return undefined;
    return {
      ...{ method: 'cookie', subject, issuer, name, expiresAtMs },
      roles: rolesOf(settings.rules, claims),
      isCurrent: () => Date.now() < expiresAtMs,
    };
  }

  private give(request: GatewayRequest, session: Session): void {
    request.cookies = [this.cookieOf(session)];
  }

  /**
   * Asks the issuer once for all requests with the same refresh token, and remembers the answer for those that are on their way. The session
   * is the latest one: what is remembered for its refresh token is due itself.
   */
  private renewed(session: Session, refreshToken: string, issuer: WebIssuer): Promise<Session> {
    const key = renewalKey(session);
    if (this.renewals.get(key)?.session) this.renewals.delete(key);
    if (this.renewals.size >= MAX_RENEWALS) this.renewals.clear();
    return getOrCreate(this.renewals, key, () => {
      const renewal: Renewal = { renewed: this.renew(session, refreshToken, issuer) };
      const forget = (): void => void (this.renewals.get(key) === renewal && this.renewals.delete(key));
      renewal.renewed.then(
        renewed => {
          renewal.session = renewed;
          setTimeout(forget, REMEMBER_MS).unref();
        },
        () => forget(),
      );
      return renewal;
    }).renewed;
  }

  private async renew(session: Session, refreshToken: string, issuer: WebIssuer): Promise<Session> {
    const { issuer: url, subject } = session;
    if (performance.now() - (this.failedAt.get(url) ?? -Infinity) < PAUSE_MS) throw issuerUnavailable();
    let tokens: Tokens;
    try {
      tokens = await issuer.client.refresh(refreshToken);
    } catch (error) {
      if (isEnded(error)) throw unauthenticated();
      this.failedAt.set(url, performance.now());
      this.log.warn({ err: described(error), issuer: url }, 'a session cannot be renewed');
      throw issuerUnavailable();
    }
    const renewed = await this.begin(issuer, { refreshToken, ...tokens });
    if (renewed.subject !== subject) throw unauthenticated();
    return renewed;
  }
}

const renewalKey = ({ refreshToken = '' }: Session): string => hashOf(refreshToken);

function isDue({ sinceMs, expiresAtMs, refreshToken }: Session): boolean {
  const leftMs = expiresAtMs - Date.now();
  return leftMs <= 0 || (refreshToken !== undefined && leftMs < Math.min(RENEW_MS, (expiresAtMs - sinceMs) / 3));
}

/** The issuer says that the refresh token is good no more: it has expired, was revoked or used before. */
const isEnded = (error: unknown): boolean => error instanceof ResponseBodyError && error.error === 'invalid_grant';
