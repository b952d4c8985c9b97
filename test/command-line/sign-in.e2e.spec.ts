import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, expectStatus } from '@stave/testing';
import { WebBrowser } from '../identity/web-browser.js';
import { WebProduct } from '../identity/web-product.js';
import { StaveCommand, type Outcome } from './stave-command.js';

jest.setTimeout(300_000);

interface ProfileFile {
  readonly current: string;
  readonly profiles: Readonly<
    Record<
      string,
      { readonly token: string; readonly session: { readonly refreshToken: string; readonly expiresAtMs: number } }
    >
  >;
}

/** Nothing but what the command itself has stored says where and as whom. */
const env = { STAVE_URL: '', STAVE_TOKEN: '' };

describe('signing in with the command line', () => {
  let product: WebProduct;
  let stave: StaveCommand;
  beforeAll(async () => {
    product = await WebProduct.start();
    stave = await StaveCommand.at('', '');
  });
  afterAll(async () => {
    await stave?.close();
    await product?.close();
  });

  const path = (): string => join(stave.home, '.config', 'stave', 'profiles.json');
  const stored = (): ProfileFile => JSON.parse(readFileSync(path(), 'utf8')) as ProfileFile;
  const profile = (name: string) => stored().profiles[name]!;
  const run = (...args: string[]): Promise<Outcome> => stave.run(args, { env });

  /** Starts a sign-in, and does in a browser what it says. */
  async function signIn(account: string, name: string): Promise<Outcome> {
    const child = stave.start('stave', ['login', '--url', product.url, '--name', name, '--debug'], { env });
    const written = { out: '', err: '' };
    child.stdout?.on('data', (data: Buffer) => (written.out += data.toString()));
    child.stderr?.on('data', (data: Buffer) => (written.err += data.toString()));
    const closed = once(child, 'close');
    const [, page = '', code = ''] = await eventually(
      async () => /Open (\S+) in a browser and confirm the code (\S+)/.exec(written.err) ?? false,
      'the page to open',
    );
    expect(page).toContain(code);
    expect(await new WebBrowser(product.url).confirmDevice(page, account)).toContain('Sign-in Success');
    const [exit] = (await closed) as [number | null];
    return { code: exit, ...written };
  }

  it('the device flow stores tokens for their owner only, and shows them nowhere', async () => {
    const outcome = await signIn('dora', 'dora');
    expect(outcome).toMatchObject({ code: 0, err: expect.stringContaining('Signed in as Dora Developer') as unknown });
    expect(statSync(path()).mode & 0o777).toBe(0o600);
    const { token, session } = profile('dora');
    const whoami = await run('whoami', '-o', 'json', '--debug');
    expect(JSON.parse(whoami.out)).toMatchObject({ subject: 'dora', method: 'jwt', operator: false });
    const profiles = await run('profiles', 'list', '-o', 'json');
    for (const { out, err } of [outcome, whoami, profiles])
      for (const secret of [token, session.refreshToken]) expect(out + err).not.toContain(secret);
  });

  it('a token that has expired is renewed, once for commands that run at the same time', async () => {
    const { token, session } = profile('dora');
    await eventually(async () => Date.now() > session.expiresAtMs && true, 'the token has expired');
    const outcomes = await Promise.all([1, 2, 3].map(() => run('whoami', '-o', 'json')));
    expect(outcomes.map(({ code, err }) => [code, err])).toEqual([1, 2, 3].map(() => [0, '']));
    expect(profile('dora').token).not.toBe(token);
    // the issuer takes each refresh token of this client once only
    expect(profile('dora').session.refreshToken).not.toBe(session.refreshToken);
    expect(stored().current).toBe('dora');
  });

  it('what is followed continues with a renewed token', async () => {
    const child = stave.start('stave', ['events', '--follow', '--since', 'start', '-o', 'jsonl'], { env });
    let seen = '';
    child.stdout?.on('data', (data: Buffer) => (seen += data.toString()));
    const { session } = profile('dora');
    await eventually(async () => Date.now() > session.expiresAtMs + 1_000 && true, 'the token has expired');
    expectStatus(await product.admin.post('/v1/cluster-templates', { name: 'later' }), 201);
    await eventually(async () => /"name":"later"/.test(seen), 'an event after the end of the token');
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([130, null]);
  });

  it('a key from the input is stored beside, and an issuer that does not exist is named', async () => {
    const key = product.stack.adminKey;
    const outcome = await stave.run(['login', '--url', product.url, '--api-key-stdin', '--name', 'root'], {
      env,
      input: `${key}\n`,
    });
    expect(outcome).toMatchObject({ code: 0 });
    expect(JSON.parse((await run('whoami', '-o', 'json')).out)).toMatchObject({ method: 'api-key', operator: true });
    expect(await run('login', '--url', product.url, '--issuer', 'https://other.example')).toMatchObject({
      code: 2,
      err: expect.stringContaining(product.issuer.url) as unknown,
    });
    const empty = await stave.run(['login', '--url', product.url, '--api-key-stdin'], { env, input: '\n' });
    expect(empty).toMatchObject({ code: 2, err: expect.stringContaining('no API key') as unknown });
  });

  it('a sign-in that has ended says how to sign in again', async () => {
    const file = stored();
    const dora = profile('dora');
    const session = { ...dora.session, refreshToken: 'unknown', expiresAtMs: 0 };
    const profiles = { ...file.profiles, ended: { ...dora, url: product.url, session } };
    writeFileSync(path(), JSON.stringify({ ...file, profiles }));
    const outcome = await run('whoami', '--profile', 'ended');
    expect(outcome).toMatchObject({
      code: 7,
      err: `Your sign-in has ended. Sign in again: stave login --url ${product.url}\n`,
    });
  });

  it('signing out removes the profile and ends the sign-in at the issuer', async () => {
    const file = stored();
    const { code, err } = await run('logout', '--name', 'dora');
    expect([code, err]).toEqual([0, '']);
    expect(stored().profiles).not.toHaveProperty('dora');
    expect((await run('whoami', '--profile', 'dora')).code).toBe(2);
    // a copy of the profile is worth nothing after its token has expired
    writeFileSync(path(), JSON.stringify(file));
    await eventually(async () => Date.now() > profile('dora').session.expiresAtMs && true, 'the token has expired');
    expect((await run('whoami', '--profile', 'dora')).code).toBe(7);
  });
});
