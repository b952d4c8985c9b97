import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeOn, eventually, expectStatus, StaveClient } from '@stave/testing';
import { EmbeddedStack } from '../e2e/stack.js';
import { Keystone, keystoneMissing } from '../identity/keystone.js';

const START_MS = 600_000;
jest.setTimeout(300_000);

interface Whoami {
  readonly projects: readonly { readonly name: string; readonly role: string }[];
}

describeOn(keystoneMissing(), 'signing in with tokens of a Keystone', () => {
  let keystone: Keystone;
  let directory: string;
  let stack: EmbeddedStack;
  let demo: string;
  let other: string;
  let alice: string;
  beforeAll(async () => {
    keystone = await Keystone.start();
    const project = (name: string): Promise<string> => keystone.create('projects', { project: { name } });
    [demo, other] = [await project('demo'), await project('other')];
    alice = await keystone.create('users', { user: { name: 'alice', password: 'secret' } });
    for (const role of ['reader', 'member']) await keystone.grant(demo, alice, role);
    await keystone.grant(other, alice, 'admin');
    directory = await mkdtemp(join(tmpdir(), 'stave-identity-'));
    const file = join(directory, 'identity.json');
    const settings = { issuers: [], keystone: { url: keystone.url, projects: { [demo]: 'shop' } } };
    await writeFile(file, JSON.stringify(settings));
    stack = await EmbeddedStack.start(undefined, { IDENTITY_FILE: file, LOG_LEVEL: 'debug' });
    const admin = new StaveClient(stack.url, stack.adminKey);
    expectStatus(await admin.post('/v1/projects', { name: 'shop' }), 201);
  }, START_MS);
  afterAll(async () => {
    await keystone.close();
    await stack.close();
    await rm(directory, { recursive: true });
  });

  const tokenOf = (id: string): Promise<string> => keystone.token('alice', 'secret', { project: { id } });
  const send = (path: string, token: string, init: RequestInit = {}): Promise<Response> =>
    fetch(stack.url + path, {
      ...init,
      headers: { 'x-auth-token': token, 'content-type': 'application/json', ...init.headers },
    });
  const status = async (path: string, token: string, init?: RequestInit): Promise<number> => {
    const answer = await send(path, token, init);
    await answer.body?.cancel();
    return answer.status;
  };

  it('a token of a mapped project works in its project with the strongest of its roles', async () => {
    const token = await tokenOf(demo);
    const whoami = (await (await send('/v1/whoami', token)).json()) as Whoami;
    expect(whoami).toMatchObject({
      subject: alice,
      name: 'alice',
      method: 'keystone',
      issuer: keystone.url,
      expiresAt: expect.stringMatching(/Z$/),
      operator: false,
      projects: [{ name: 'shop', role: 'member' }],
    });
    const body = JSON.stringify({ name: `t-${randomUUID().slice(0, 8)}` });
    const made = await send('/v1/cluster-templates', token, { method: 'POST', body });
    expect(made.status).toBe(201);
    const { id } = (await made.json()) as { id: string };
    const events = (await (await send(`/v1/cluster-templates/${id}/events`, token)).json()) as { items: object[] };
    expect(events.items[0]).toMatchObject({ actor: alice, actormethod: 'keystone', actorissuer: keystone.url });
    expect(await status('/v1/api-keys', token)).toBe(403);
  });

  it('an unscoped, unknown or malformed token and two kinds of credentials are refused', async () => {
    expect(await status('/v1/clusters', await keystone.token('alice', 'secret', 'unscoped'))).toBe(401);
    expect(await status('/v1/whoami', 'gAAAAABunknown')).toBe(401);
    expect(await status('/v1/whoami', 'x')).toBe(401);
    const both = { headers: { authorization: `Bearer ${stack.adminKey}` } };
    expect(await status('/v1/whoami', await tokenOf(demo), both)).toBe(400);
  });

  it('a token of a project that is not mapped has no role', async () => {
    const token = await tokenOf(other);
    expect(await status('/v1/whoami', token)).toBe(200);
    expect(await status('/v1/clusters', token)).toBe(403);
  });

  it('a token that Keystone has revoked is refused within a minute, and no token is in the log', async () => {
    const token = await tokenOf(demo);
    expect(await status('/v1/clusters', token)).toBe(200);
    await keystone.revoke(token);
    const isRefused = async (): Promise<boolean> => (await status('/v1/clusters', token)) === 401;
    await eventually(isRefused, { what: 'the revoked token is refused', timeoutMs: 120_000, everyMs: 500 });
    expect(stack.recentLog).not.toContain(token);
  });

  it('while Keystone is away, unknown tokens are answered 503 and API keys work', async () => {
    const token = await tokenOf(demo);
    await keystone.stop();
    const away = await send('/v1/clusters', token);
    expect(away.status).toBe(503);
    expect(Number(away.headers.get('retry-after'))).toBeGreaterThan(0);
    await away.body?.cancel();
    expect(expectStatus(await new StaveClient(stack.url, stack.adminKey).get('/v1/clusters'), 200).status).toBe(200);
  });
});
