import { Controller, Inject, Req } from '@nestjs/common';
import { RefusedError } from '@stave/contracts';
import type { Logger } from '@stave/platform';
import { AuthorizationResponseError, randomNonce, randomPKCECodeVerifier, randomState } from 'openid-client';
import { LOG, SETTINGS, type GatewaySettings } from '../gateway.tokens.js';
import { ok, type Answer } from '../http/answer.js';
import { Handles, type GatewayRequest } from '../http/call.js';
import { member } from '../http/members.js';
import { notFound } from '../problems/refusals.js';
import { signInRoutes as routes } from '../routes/sign-in.routes.js';
import { cookie, cookieIn, noCookie, SESSION_COOKIE } from './cookies.js';
import { described, isAway, resourceOf, type SignInChecks, type Tokens } from './issuer-client.js';
import { returnPath } from './return-path.js';
import { SignInLog } from './sign-in-log.js';
import { CALLBACK, issuerUnavailable, WebIssuers, type WebIssuer } from './web-issuers.js';
import { WebSessions } from './web-sessions.js';

/** The time that somebody has to sign in at the issuer. */
const SIGN_IN_S = 600;
const PURPOSE = 'stave_sign_in';

/** What a browser keeps, sealed, while it is at the issuer. */
interface SignIn extends SignInChecks {
  readonly issuer: string;
  readonly returnTo: string;
  readonly untilMs: number;
}

const failed = (detail: string): RefusedError => new RefusedError({ code: 'sign-in-failed', kind: 'invalid', detail });
const unknownSignIn = (): RefusedError =>
  failed('this browser has not begun this sign-in, or too long ago; sign in again');

/** Each sign-in has a cookie of its own, so that several pages can sign in at the same time. */
const cookieName = (state: string): string => `${PURPOSE}_${state.slice(0, 12)}`;
const isState = (text: unknown): text is string => typeof text === 'string' && /^[\w-]{16,128}$/.test(text);

/** Signs users in and out who come with a browser: authorization code with PKCE at an issuer, then a sealed cookie. */
@Controller()
export class SignInController {
  private readonly log: SignInLog;

  constructor(
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
    @Inject(LOG) log: Logger,
    private readonly issuers: WebIssuers,
    private readonly sessions: WebSessions,
  ) {
    this.log = new SignInLog(log);
  }

  @Handles(routes.methods)
  methods(): Answer {
    const { issuers, keystone } = this.settings.identity;
    const shown = issuers.map(settings => {
      const { issuer, audiences, cli, web } = settings;
      const resource = resourceOf(settings);
      return {
        issuer,
        audience: audiences[0],
        ...(resource !== undefined && { resource }),
        ...(cli && { clientId: cli.clientId }),
        ...(web && { web: true }),
      };
    });
    return ok({ issuers: shown, keystone: keystone !== undefined });
  }

  @Handles(routes.login)
  async login(@Req() { query }: GatewayRequest): Promise<Answer> {
    const returnTo = returnPath(member(query, 'returnTo'));
    const issuer = this.issuerOf(member(query, 'issuer'));
    const checks = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
    const target = await this.ask(issuer, () => issuer.client.authorizationUrl(checks));
    const signIn: SignIn = {
      ...checks,
      ...{ issuer: issuer.settings.issuer, returnTo, untilMs: Date.now() + SIGN_IN_S * 1000 },
    };
    const sealed = this.issuers.seal.seal(JSON.stringify(signIn), PURPOSE);
    const options = { path: CALLBACK, seconds: SIGN_IN_S };
    return redirect(target.href, cookie(cookieName(checks.state), sealed, options));
  }

  @Handles(routes.callback)
  async callback(@Req() request: GatewayRequest): Promise<Answer> {
    const state = member(request.query, 'state');
    const signIn = isState(state) ? this.signInOf(request, state) : undefined;
    const issuer = signIn && this.issuers.all.get(signIn.issuer);
    if (!issuer) throw unknownSignIn();
    const [, query = ''] = request.url.split(/\?(.*)/s);
    const tokens = await this.ask(issuer, () => issuer.client.exchange(query, signIn));
    const session = await this.sessionWith(issuer, tokens);
    const done = noCookie(cookieName(signIn.state), CALLBACK);
    return redirect(signIn.returnTo, this.sessions.cookieOf(session), done);
  }

  @Handles(routes.logout)
  async logout(@Req() request: GatewayRequest): Promise<Answer> {
    if (request.headers.cookie !== undefined) this.sessions.requireOwnOrigin(request);
    const session = this.sessions.in(request);
    if (session) await this.sessions.end(session);
    return { status: 204, headers: { 'Set-Cookie': [noCookie(SESSION_COOKIE)] } };
  }

  /** Throws RefusedError (404) for an issuer at which no browser signs in. */
  private issuerOf(wanted: unknown): WebIssuer {
    const [first] = this.issuers.all.values();
    const issuer = wanted === undefined ? first : this.issuers.all.get(String(wanted));
    if (!issuer) throw notFound('there is no such issuer at which browsers sign in');
    return issuer;
  }

  private signInOf({ headers }: GatewayRequest, state: string): SignIn | undefined {
    const sealed = cookieIn(headers.cookie, cookieName(state));
    const text = sealed === undefined ? undefined : this.issuers.seal.open(sealed, PURPOSE);
    const signIn = text === undefined ? undefined : (JSON.parse(text) as SignIn);
    return signIn && signIn.state === state && signIn.untilMs > Date.now() ? signIn : undefined;
  }

  /** Throws RefusedError: 400 for what the issuer refuses, 503 when it does not answer. */
  private async ask<T>({ settings: { issuer } }: WebIssuer, what: () => Promise<T>): Promise<T> {
    try {
      return await what();
    } catch (error) {
      if (error instanceof AuthorizationResponseError) {
        const code = /^[a-z_]{1,64}$/.test(error.error) ? error.error : 'an error';
        throw failed(`the issuer has not signed you in (${code}); sign in again`);
      }
      this.log.failed(issuer, 'a sign-in failed', { err: described(error) });
      if (isAway(error)) throw issuerUnavailable();
      throw failed('the issuer does not accept this sign-in; sign in again');
    }
  }

  /** Throws RefusedError (502) when the issuer gives access tokens that say nothing here: its client is configured wrongly. */
  private async sessionWith(issuer: WebIssuer, tokens: Tokens) {
    try {
      return await this.sessions.begin(issuer, tokens);
    } catch (error) {
      if (!(error instanceof RefusedError) || error.error.kind !== 'unauthenticated') throw error;
      const reason = 'the access token of a sign-in is no JWT (at+jwt) for the audience of the issuer';
      this.log.failed(issuer.settings.issuer, reason);
      const detail = 'the access token of the issuer is not one for this API; ask the operator of the installation';
      throw new RefusedError({ code: 'unusable-access-token', kind: 'bad-answer', detail });
    }
  }
}

const redirect = (location: string, ...cookies: string[]): Answer => ({
  status: 303,
  headers: { Location: location, 'Set-Cookie': cookies },
});
