import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expectStatus, StaveClient } from '@stave/testing';
import { importJWK, SignJWT, type JWK } from 'jose';
import { EmbeddedStack } from '../e2e/stack.js';
import type { ResourceView } from '../e2e/views.js';
import { OidcIssuer, signingKey, type IssuerClient } from './oidc-issuer.js';

export const AUDIENCE = 'https://stave.example/api';
/** Tokens for this audience are valid for four seconds. */
export const SHORT = 'https://stave.example/short';

const person = (id: string, groups: readonly string[]): IssuerClient => ({
  id,
  secret: `secret-of-${id}`,
  claims: { groups, name: `Name of ${id}` },
});
export const people = {
  operator: person('olga', ['operators']),
  developer: person('dora', ['developers']),
  both: person('ben', ['developers', 'auditors']),
  early: person('ella', ['later']),
  nobody: person('nils', ['cooks']),
};

const group = (value: string, role: string, project?: string): object => ({
  claim: 'groups',
  value,
  role,
  ...(project === undefined ? {} : { project }),
});

const rules = [
  group('operators', 'operator'),
  group('developers', 'reader', 'shop'),
  group('developers', 'member', 'shop'),
  group('auditors', 'reader', 'books'),
  group('later', 'admin', 'later'),
];

export const inPast = (seconds: number): number => Math.floor(Date.now() / 1000) - seconds;

/** The product in a process of its own, with an issuer of tokens and the projects `shop` and `books`. */
export class SignedInProduct {
  private constructor(
    private readonly directory: string,
    private readonly settings: Readonly<Record<string, string>>,
    private current: EmbeddedStack,
    readonly issuer: OidcIssuer,
    /** The key with which the issuer signs first. */
    readonly key: JWK,
  ) {}

  readonly projectIds: Record<string, string> = {};

  static async start(): Promise<SignedInProduct> {
    const directory = await mkdtemp(join(tmpdir(), 'stave-identity-'));
    const key = await signingKey('first');
    const issuer = await OidcIssuer.start({ clients: Object.values(people), ttlSeconds: { [SHORT]: 4 } }, [key]);
    const file = join(directory, 'identity.json');
    const identity = { issuers: [{ issuer: issuer.url, audiences: [AUDIENCE, SHORT], rules }] };
    await writeFile(file, JSON.stringify(identity));
    const settings = { IDENTITY_FILE: file, LOG_LEVEL: 'debug' };
    const stack = await EmbeddedStack.start(undefined, settings);
    const product = new SignedInProduct(directory, settings, stack, issuer, key);
    for (const name of ['shop', 'books'])
      product.projectIds[name] = expectStatus(
        await product.admin.post<ResourceView>('/v1/projects', { name }),
        201,
      ).body.id;
    return product;
  }

  get stack(): EmbeddedStack {
    return this.current;
  }

  /** Kills the process and starts it again with its data. */
  async killed(): Promise<void> {
    await this.current.end('SIGKILL');
    this.current = await EmbeddedStack.start(this.current.dataDir, this.settings);
  }

  /** A client with the administrator's API key. */
  get admin(): StaveClient {
    return new StaveClient(this.stack.url, this.stack.adminKey);
  }

  /** Returns a client with a token that the issuer has just made. */
  async as(who: IssuerClient, audience = AUDIENCE): Promise<StaveClient> {
    return this.admin.as(await this.issuer.token(who, audience));
  }

  /** Signs claims of an operator, changed by these, with the first key of the issuer or with another. */
  async signed(claims: object, header: object = {}, by: JWK = this.key): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const { groups } = people.operator.claims;
    const standard = { iss: this.issuer.url, aud: AUDIENCE, sub: 'mallory', iat: now, exp: now + 600, groups };
    return new SignJWT({ ...standard, ...claims })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'first', ...header })
      .sign(await importJWK(by, 'ES256'));
  }

  async close(): Promise<void> {
    await this.issuer.stop();
    await this.stack.close();
    await rm(this.directory, { recursive: true });
  }
}
