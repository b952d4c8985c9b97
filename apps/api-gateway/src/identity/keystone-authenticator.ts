import { Inject, Injectable } from '@nestjs/common';
import { RefusedError } from '@stave/contracts';
import { getOrCreate } from '@stave/domain';
import type { Logger } from '@stave/platform';
import { LOG, SETTINGS, type GatewaySettings } from '../gateway.tokens.js';
import { member } from '../http/members.js';
import { unauthenticated } from '../problems/refusals.js';
import { hashOf } from './bearer-hash.js';
import { projectRoles, type KeystoneSettings, type ProjectRole } from './identity-settings.js';
import { stronger } from './token-roles.js';
import { tokenCache } from './token-cache.js';
import { isLine, type TokenIdentity } from './token-verifier.js';

const TIMEOUT_MS = 5_000;
const RETRY_AFTER_MS = 1_000;
const TOKEN = /^[\x21-\x7e]{1,16384}$/;

const unavailable = (): RefusedError =>
  new RefusedError({
    code: 'issuer-unavailable',
    kind: 'unavailable',
    detail: 'Keystone does not answer; repeat the request later',
    retryAfterMs: RETRY_AFTER_MS,
  });

/** Finds whose a Keystone token is: Keystone itself says it. Tokens are kept for a minute, as hashes, and never logged. */
@Injectable()
export class KeystoneAuthenticator {
  private readonly keystone: KeystoneSettings | undefined;
  private readonly cache = tokenCache();
  private readonly asking = new Map<string, Promise<TokenIdentity>>();
  private isFailing = false;

  constructor(
    @Inject(SETTINGS) { identity }: GatewaySettings,
    @Inject(LOG) private readonly log: Logger,
  ) {
    this.keystone = identity.keystone;
  }

  /** Returns the identity of a token that Keystone was asked about a moment ago. */
  known(token: string): TokenIdentity | undefined {
    return this.cache.get(hashOf(token));
  }

  /** Asks Keystone, once for concurrent requests. Throws RefusedError: `unauthenticated`, `issuer-unavailable`. */
  async authenticate(token: string): Promise<TokenIdentity> {
    const { keystone } = this;
    if (!keystone || !TOKEN.test(token)) throw unauthenticated();
    const hashed = hashOf(token);
    return getOrCreate(this.asking, hashed, () =>
      this.ask(keystone, token, hashed).finally(() => this.asking.delete(hashed)),
    );
  }

  private async ask(keystone: KeystoneSettings, token: string, hashed: string): Promise<TokenIdentity> {
    const identity = identityIn(await this.answer(keystone, token), keystone);
    if (!identity) throw unauthenticated();
    this.cache.put(hashed, identity);
    return identity;
  }

  /** The token may ask about itself, so that the gateway needs no account. */
  private async answer({ url }: KeystoneSettings, token: string): Promise<unknown> {
    const headers = { 'x-auth-token': token, 'x-subject-token': token, accept: 'application/json' };
    const target = `${url.replace(/\/$/, '')}/auth/tokens?nocatalog`;
    let status: number | undefined;
    try {
      const answer = await fetch(target, { headers, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
      ({ status } = answer);
      if (answer.ok) {
        const body: unknown = await answer.json();
        this.noteSuccess();
        return body;
      }
      await answer.body?.cancel();
    } catch (err) {
      this.noteFailure(err);
      throw unavailable();
    }
    // 400: not a token at all
    if ([400, 401, 403, 404].includes(status)) throw unauthenticated();
    this.noteFailure(new Error(`${target} answered ${status}`));
    throw unavailable();
  }

  private noteSuccess(): void {
    if (this.isFailing) this.log.info('Keystone answers again');
    this.isFailing = false;
  }

  private noteFailure(err: unknown): void {
    if (!this.isFailing) this.log.warn({ err }, 'Keystone cannot be asked about tokens');
    this.isFailing = true;
  }
}

const textIn = (value: unknown, name: string): string | undefined => {
  const found = member(value, name);
  return typeof found === 'string' ? found : undefined;
};

function strongestIn(roles: unknown): ProjectRole | undefined {
  const names = (Array.isArray(roles) ? roles : []).map(role => textIn(role, 'name')?.toLowerCase());
  const known = projectRoles.filter(role => names.includes(role));
  return known.length === 0 ? undefined : known.reduce(stronger);
}

/** Returns undefined for a token without a project, such as an unscoped one, and for one that has expired. */
function identityIn(answer: unknown, { url, projects }: KeystoneSettings): TokenIdentity | undefined {
  const token = member(answer, 'token');
  const [user, project] = [member(token, 'user'), textIn(member(token, 'project'), 'id')];
  const [subject, name] = [textIn(user, 'id'), textIn(user, 'name')];
  const expiresAtMs = Date.parse(textIn(token, 'expires_at') ?? '');
  if (project === undefined || !isLine(subject) || !(expiresAtMs > Date.now())) return undefined;
  const role = strongestIn(member(token, 'roles'));
  const mapped = Object.hasOwn(projects, project) ? projects[project] : undefined;
  return {
    method: 'keystone',
    subject,
    issuer: url,
    name: isLine(name) ? name : subject,
    roles: { isOperator: false, byProject: new Map(role && mapped !== undefined ? [[mapped, role]] : []) },
    expiresAtMs,
    isCurrent: () => Date.now() < expiresAtMs,
  };
}
