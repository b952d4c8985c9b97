import type { CommandResult, RequestMeta } from '@stave/contracts';
import { scenario } from '../scenario.fixture.js';

const at = scenario();

const patch = (body: object, meta: Partial<RequestMeta> = {}): Promise<CommandResult> =>
  at.world.ask<CommandResult & Record<string, never>>('container-profile', 'patch', { id: 'nginx', patch: body }, meta);

it('changes at once all stand', async () => {
  await at.profile();
  const labels = Array.from({ length: 20 }, (_, i) => ({ labels: { [`m${i}`]: 'v' } }));
  await Promise.all([{ image: 'nginx:2' }, { description: 'mine' }, { env: { A: '1' } }, ...labels].map(b => patch(b)));
  const { resource } = await patch({});
  expect(resource).toMatchObject({ image: 'nginx:2', description: 'mine', env: { A: '1' } });
  expect(Object.keys(resource['labels'] as object)).toHaveLength(20);
});

it('a patch is a merge patch: null takes a member away', async () => {
  const healthCheck = { command: ['true'], retries: 3 };
  await at.profile({ env: { A: '1', PASSWORD: 'x' }, labels: { a: '1' }, healthCheck, description: 'mine' });
  const body = { env: { PASSWORD: null }, resources: { cpus: null }, healthCheck: { retries: null } };
  expect((await patch({ ...body, description: null })).resource).toMatchObject({
    env: { A: '1' },
    resources: { memoryMb: 500 },
    healthCheck: { command: ['true'] },
    description: null,
  });
  const { resource } = await patch({ env: null, labels: null, healthCheck: null });
  expect(resource).toMatchObject({ env: {}, labels: {} });
  expect(resource).not.toHaveProperty('healthCheck');
});

it('what comes of a patch is whole and within the limits', async () => {
  await at.profile();
  const many = Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`m${i}`, 'v']));
  const refused = async (body: object): Promise<unknown> =>
    patch(body).then(
      () => 'accepted',
      error => error.error.errors.map((e: { pointer: string }) => e.pointer),
    );
  expect(await refused({ labels: many, network: { driver: 'bridge' }, healthCheck: { retries: 1 } })).toEqual([
    '/labels',
    '/network/name',
    '/healthCheck/command',
  ]);
  expect(await refused({ hostCluster: null })).toEqual(['/hostCluster']);
  expect(await refused({ hostNode: 'nowhere' })).toEqual(['/hostNode']);
});

it('a host may be given by its name', async () => {
  await at.profile();
  const id = await at.world.node(at.clusterId, at.groupId, 'n1');
  expect((await patch({ hostNode: 'n1', hostCluster: null })).resource).toMatchObject({
    hostNode: id,
    hostCluster: null,
  });
});

it('repeats answer as the first did, though the profile is gone', async () => {
  await at.profile();
  const change = (): Promise<CommandResult> => patch({ image: 'nginx:2' }, { idempotencyKey: 'patch' });
  const remove = (meta: Partial<RequestMeta>): Promise<CommandResult> =>
    at.world.ask<CommandResult & Record<string, never>>('container-profile', 'delete', { id: 'nginx' }, meta);
  const changed = await change();
  const removed = await remove({ idempotencyKey: 'delete' });
  expect(await change()).toEqual(changed);
  expect(await remove({ idempotencyKey: 'delete' })).toEqual(removed);
  await expect(remove({})).rejects.toMatchObject({ error: { kind: 'not-found' } });
  await at.profile();
  expect(await remove({ idempotencyKey: 'delete' })).toEqual(removed);
  expect((await patch({})).resource.name).toBe('nginx');
});
