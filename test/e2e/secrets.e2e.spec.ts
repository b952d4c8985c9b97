import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expectProblem, expectStatus, operationIdOf, StaveClient } from '@stave/testing';
import { Fleet } from './fleet.js';
import { EmbeddedStack } from './stack.js';
import type { ContainerView, ResourceView } from './views.js';

jest.setTimeout(120_000);

const run = promisify(execFile);

const token = 'value-that-must-not-be-seen';
const login = 'puller:let-me-pull';

describe('secrets of containers', () => {
  let stack: EmbeddedStack;
  let secretsDir: string;
  let fleet: Fleet;
  beforeAll(async () => {
    secretsDir = await mkdtemp(join(tmpdir(), 'stave-secrets-'));
    await mkdir(join(secretsDir, 'projects', 'default'), { recursive: true });
    await writeFile(join(secretsDir, 'projects', 'default', 'token'), `${token}\n`);
    await writeFile(join(secretsDir, 'projects', 'default', 'registry'), login);
    await mkdir(join(secretsDir, 'projects', 'shop'));
    await writeFile(join(secretsDir, 'projects', 'shop', 'own'), 'value-of-the-shop-only');
    stack = await EmbeddedStack.start(undefined, { SECRETS_DIR: secretsDir, LOG_LEVEL: 'debug' });
    fleet = new Fleet(stack);
  });
  afterAll(async () => {
    await stack.close();
    await rm(secretsDir, { recursive: true });
  });

  const profile = async (api: StaveClient, body: object): Promise<ResourceView> =>
    expectStatus(await api.post<ResourceView>('/v1/container-profiles', { image: 'web:1', ...body }), 201).body;

  it('a container gets its secrets, and they are in no event, document, answer, log or file', async () => {
    const options = { deniedImages: ['private:1'], secrets: ['stored'] };
    const { id: hostCluster } = await fleet.cluster({ options }, [{ count: 1 }]);
    const env = { TOKEN: { secret: 'token' }, OTHER: { secret: 'stored' }, PLAIN: 'x' };
    const more = { image: 'private:1', imageCredentials: { secret: 'registry' }, env };
    const { id } = await profile(fleet.api, { name: 'secretive', hostCluster, ...more });
    const made = await fleet.api.succeed(fleet.api.post<ContainerView>('/v1/containers', { profile: id, name: 'c-1' }));
    const shown = await fleet.api.get<ContainerView>(`/v1/containers/${made.id}`);
    expect(shown.body).toMatchObject({ env, imageCredentials: { secret: 'registry' }, status: 'ACTIVE' });
    const answers = [
      shown,
      await fleet.api.get(`/v1/containers/${made.id}/logs`),
      await fleet.api.get(`/v1/containers/${made.id}/events`),
      await fleet.api.get('/v1/events?limit=500'),
      await fleet.api.get(`/v1/operations?limit=500`),
    ];
    await stack.end('SIGTERM');
    const found = [JSON.stringify(answers.map(({ body }) => body)), stack.recentLog];
    for (const value of [token, login, 'fake-secret-stored']) {
      for (const text of found) expect(text).not.toContain(value);
      // the socket of a lock cannot be read
      const search = run('grep', ['-r', '-a', '-l', '-F', '-D', 'skip', value, stack.dataDir]);
      await expect(search).rejects.toMatchObject({ code: 1, stdout: '' });
    }
    stack = await EmbeddedStack.start(stack.dataDir, { SECRETS_DIR: secretsDir });
    fleet = new Fleet(stack);
  });

  it('a secret that does not exist, or belongs to another project, fails the container for good until a retry', async () => {
    const { id: hostCluster } = await fleet.cluster({}, [{ count: 1 }]);
    const { id } = await profile(fleet.api, { name: 'other', hostCluster, env: { OWN: { secret: 'own' } } });
    const asked = expectStatus(await fleet.api.post<ContainerView>('/v1/containers', { profile: id }), 202);
    const operation = await fleet.api.operation(operationIdOf(asked) ?? '');
    expect(operation).toMatchObject({ status: 'FAILED', error: { code: 'secret-missing' } });
    await writeFile(join(secretsDir, 'projects', 'default', 'own'), 'a value that came later');
    await fleet.api.succeed(fleet.api.post(`/v1/containers/${asked.body.id}/actions/retry`));
    await rm(join(secretsDir, 'projects', 'default', 'own'));
  });

  it('a project has its own secrets, under its name', async () => {
    expectStatus(await fleet.api.post('/v1/projects', { name: 'shop' }), 201);
    const made = await fleet.api.post<{ key: string }>('/v1/api-keys', { project: 'shop', role: 'member' });
    const shop = new Fleet({ url: stack.url, adminKey: expectStatus(made, 201).body.key });
    const { id: hostCluster } = await shop.cluster({}, [{ count: 1 }]);
    const { id } = await profile(shop.api, { name: 'own', hostCluster, env: { OWN: { secret: 'own' } } });
    await shop.api.succeed(shop.api.post('/v1/containers', { profile: id }));
  });

  it('the name of a secret has no path, and credentials are never given as text', async () => {
    const env = { A: { secret: '../shop/own' }, B: { secret: 'x', other: 1 }, C: 1 };
    const refused = await fleet.api.post('/v1/container-profiles', { image: 'a', env, imageCredentials: login });
    const pointers = expectProblem(refused, 400).errors?.map(({ pointer }) => pointer);
    expect(pointers?.sort()).toEqual(['/env/A/secret', '/env/B/other', '/env/C', '/imageCredentials']);
    expect(JSON.stringify(refused.body)).not.toContain(login);
  });
});
