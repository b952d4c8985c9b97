import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { endWithThisProcess, repositoryRoot } from '@stave/testing';
import { exportJWK, generateKeyPair, type JWK } from 'jose';

export interface IssuerClient {
  readonly id: string;
  readonly secret: string;
  /** What its access tokens claim in addition. */
  readonly claims: Readonly<Record<string, unknown>>;
}

export interface IssuerOptions {
  readonly clients: readonly IssuerClient[];
  /** The time for which tokens of an audience are valid; default 600. */
  readonly ttlSeconds?: Readonly<Record<string, number>>;
  /** The claims of users by their names, who sign in at forms of the provider with any password. */
  readonly accounts?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** The client of a gateway that signs browsers in. */
  readonly webClient?: { readonly id: string; readonly secret: string; readonly redirectUris: readonly string[] };
  /** The public client of command lines. */
  readonly cliClient?: { readonly id: string };
}

/** Returns a new private key for ES256. */
export async function signingKey(kid: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  return { ...(await exportJWK(privateKey)), kid, alg: 'ES256', use: 'sig' };
}

/** An OpenID Connect provider that issues JWT access tokens to clients, in a process of its own. */
export class OidcIssuer {
  private constructor(
    private readonly options: IssuerOptions,
    private child: ChildProcess,
    readonly url: string,
  ) {}

  /** Resolves when the provider answers with these keys, the first of which signs. */
  static async start(options: IssuerOptions, keys: readonly JWK[]): Promise<OidcIssuer> {
    const { child, url } = await spawnIssuer(options, 0);
    const issuer = new OidcIssuer(options, child, url);
    await issuer.useKeys(keys);
    return issuer;
  }

  /** Replaces the keys: those that are left out are no longer published. */
  async useKeys(keys: readonly JWK[]): Promise<void> {
    const answered = once(this.child, 'message');
    this.child.send({ keys });
    await answered;
  }

  /** Returns an access token for the audience, from the token endpoint. */
  async token({ id, secret }: IssuerClient, audience: string): Promise<string> {
    const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
    const body = new URLSearchParams({ grant_type: 'client_credentials', resource: audience });
    const answer = await fetch(`${this.url}/token`, { method: 'POST', headers: { authorization }, body });
    const { access_token: token } = (await answer.json()) as { readonly access_token?: string };
    if (token === undefined) throw new Error(`the issuer answered ${answer.status}`);
    return token;
  }

  /** Ends the process. */
  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exit = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exit;
  }

  /** Starts the process again, at the same address. */
  async restart(keys: readonly JWK[]): Promise<void> {
    ({ child: this.child } = await spawnIssuer(this.options, Number(new URL(this.url).port)));
    await this.useKeys(keys);
  }
}

async function spawnIssuer(
  { ttlSeconds = {}, ...options }: IssuerOptions,
  port: number,
): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const child = fork(join(repositoryRoot(), 'test', 'identity', 'issuer.process.mjs'), {
    env: { PATH: process.env['PATH'], ISSUER: JSON.stringify({ port, ttlSeconds, ...options }) },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  endWithThisProcess(child);
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the issuer ended with ${String(code)} before it listened`);
  });
  const [message] = (await Promise.race([once(child, 'message'), ended])) as [{ readonly issuer: string }];
  ended.catch(() => undefined);
  return { child, url: message.issuer };
}
