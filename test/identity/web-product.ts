import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, StaveClient } from '@stave/testing';
import { importJWK, SignJWT, type JWK } from 'jose';
import { EmbeddedStack } from '../e2e/stack.js';
import { OidcIssuer, signingKey } from './oidc-issuer.js';

/** Access tokens for browsers are valid for this long. */
export const TOKEN_SECONDS = 9;
const AUDIENCE = 'https://stave.example/web';
const CLIENT = { id: 'stave-web', secret: 'the-secret-of-the-web-client-of-the-tests' };
export const CLI_CLIENT = 'stave-cli';

const accounts = {
  olga: { groups: ['operators'], name: 'Olga Operator' },
  dora: { groups: ['developers', 'cooks'], name: 'Dora Developer' },
  rita: { groups: ['readers'], name: 'Rita Reader' },
  lena: { groups: ['leads'], name: 'Lena Lead' },
  nils: { groups: ['cooks'], name: 'Nils Nobody' },
};
const rules = [
  { claim: 'groups', value: 'operators', role: 'operator' },
  { claim: 'groups', value: 'readers', role: 'reader', project: 'default' },
  { claim: 'groups', value: 'developers', role: 'member', project: 'default' },
  { claim: 'groups', value: 'leads', role: 'admin', project: 'default' },
];

export interface WebProductOptions {
  /** How long access tokens are valid; default {@link TOKEN_SECONDS}. */
  readonly tokenSeconds?: number;
  readonly settings?: Readonly<Record<string, string>>;
  readonly keystone?: { readonly url: string; readonly projects: Readonly<Record<string, string>> };
}

/** The product with an issuer at which browsers and command lines sign in. */
export class WebProduct {
  private constructor(
    private readonly directory: string,
    private readonly settings: Readonly<Record<string, string>>,
    private current: EmbeddedStack,
    readonly issuer: OidcIssuer,
    readonly key: JWK,
  ) {}

  static async start({
    tokenSeconds = TOKEN_SECONDS,
    keystone,
    settings: more = {},
  }: WebProductOptions = {}): Promise<WebProduct> {
    const directory = await mkdtemp(join(tmpdir(), 'stave-web-'));
    const url = `http://127.0.0.1:${await freePort()}`;
    const key = await signingKey('first');
    const webClient = { ...CLIENT, redirectUris: [`${url}/v1/auth/callback`] };
    const ttlSeconds = { [AUDIENCE]: tokenSeconds };
    const options = { clients: [], ttlSeconds, accounts, webClient, cliClient: { id: CLI_CLIENT } };
    const issuer = await OidcIssuer.start(options, [key]);
    const [file, secretFile] = [join(directory, 'identity.json'), join(directory, 'client-secret')];
    const web = { clientId: CLIENT.id, clientSecretFile: secretFile };
    const entry = { issuer: issuer.url, audiences: [AUDIENCE], rules, web, cli: { clientId: CLI_CLIENT } };
    await writeFile(secretFile, `${CLIENT.secret}\n`, { mode: 0o600 });
    await writeFile(file, JSON.stringify({ issuers: [entry], ...(keystone && { keystone }) }));
    const settings = { IDENTITY_FILE: file, PUBLIC_URL: url, DRIVERS_ENABLED: 'fake', LOG_LEVEL: 'info', ...more };
    const stack = await EmbeddedStack.start(undefined, { ...settings, PORT: new URL(url).port });
    return new WebProduct(directory, settings, stack, issuer, key);
  }

  get stack(): EmbeddedStack {
    return this.current;
  }

  get url(): string {
    return this.current.url;
  }

  /** A client with the administrator's API key. */
  get admin(): StaveClient {
    return new StaveClient(this.url, this.stack.adminKey);
  }

  /** Signs an access token of an account, with these claims changed. */
  async token(account: keyof typeof accounts, claims: object = {}): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const standard = { iss: this.issuer.url, aud: AUDIENCE, sub: account, iat: now, exp: now + 600 };
    return new SignJWT({ ...standard, ...accounts[account], ...claims })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'first' })
      .sign(await importJWK(this.key, 'ES256'));
  }

  /** Starts one more product with the same settings and data of its own, as another gateway that knows the same issuer. */
  another(): Promise<EmbeddedStack> {
    return EmbeddedStack.start(undefined, this.settings);
  }

  /** Kills the process and starts it again with its data. */
  async killed(): Promise<void> {
    const { port } = new URL(this.url);
    await this.current.end('SIGKILL');
    this.current = await EmbeddedStack.start(this.current.dataDir, { ...this.settings, PORT: port });
  }

  async close(): Promise<void> {
    await this.issuer.stop();
    await this.stack.close();
    await rm(this.directory, { recursive: true });
  }
}
