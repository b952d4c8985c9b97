import type { CommandResult, RequestMeta } from '@stave/contracts';
import { SchedulerHarness } from '../scheduler.fixture.js';

describe('commands on container profiles', () => {
  let harness: SchedulerHarness;
  beforeEach(async () => {
    harness = await SchedulerHarness.open();
    await harness.createProfile();
  });
  afterEach(() => harness.close());

  const patch = (body: object, meta: Partial<RequestMeta> = {}): Promise<CommandResult> =>
    harness.first.ask('container-profile', 'patch', { id: 'nginx', patch: body }, meta);
  const refusal = (attempt: Promise<CommandResult>): Promise<unknown> =>
    attempt.then(
      () => 'accepted',
      error => error.error,
    );

  it('a profile without a host, with an unknown host, or with a node of another cluster is refused', async () => {
    const other = await harness.cluster('beta');
    await harness.node('b1', other, await harness.group(other));
    const create = (body: object): Promise<unknown> => refusal(harness.createProfile({ name: 'other', ...body }));
    expect(await create({ hostCluster: undefined })).toMatchObject({ code: 'host-required' });
    expect(await create({ hostCluster: 'nowhere' })).toMatchObject({ code: 'host-cluster-unknown' });
    expect(await create({ hostNode: 'b1' })).toMatchObject({ code: 'host-node-not-in-cluster' });
    expect(await create({ hostNode: 'b1', hostCluster: 'beta' })).toBe('accepted');
    expect(await create({})).toMatchObject({ code: 'name-taken' });
  });

  it('concurrent patches of a profile are all applied', async () => {
    const labels = Array.from({ length: 20 }, (_, i) => ({ labels: { [`m${i}`]: 'v' } }));
    const patches = [{ image: 'nginx:2' }, { description: 'mine' }, { env: { A: '1' } }, ...labels];
    await Promise.all(patches.map(body => patch(body)));
    const { resource } = await patch({});
    expect(resource).toMatchObject({ image: 'nginx:2', description: 'mine', env: { A: '1' } });
    expect(Object.keys(resource['labels'] as object)).toHaveLength(20);
  });

  it('a merge patch of a profile removes a member with null', async () => {
    const healthCheck = { command: ['true'], retries: 3 };
    await patch({ env: { A: '1', PASSWORD: 'x' }, labels: { a: '1' }, healthCheck, description: 'mine' });
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

  it('a patch whose result is incomplete or exceeds the limits is refused', async () => {
    const labels = Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`m${i}`, 'v']));
    const at = (...pointers: readonly string[]): object => ({ errors: pointers.map(pointer => ({ pointer })) });
    const body = { labels, network: { driver: 'bridge' }, healthCheck: { retries: 1 } };
    expect(await refusal(patch(body))).toMatchObject(at('/labels', '/network/name', '/healthCheck/command'));
    expect(await refusal(patch({ hostCluster: null }))).toMatchObject(at('/hostCluster'));
    expect(await refusal(patch({ hostNode: 'nowhere' }))).toMatchObject(at('/hostNode'));
  });

  it('the host of a profile can be given by its name', async () => {
    const id = await harness.node('n1');
    const { resource } = await patch({ hostNode: 'n1', hostCluster: null });
    expect(resource).toMatchObject({ hostNode: id, hostCluster: null });
  });

  it('a repeat gets the answer of the first request, although the profile is deleted', async () => {
    const change = (): Promise<CommandResult> => patch({ image: 'nginx:2' }, { idempotencyKey: 'patch' });
    const remove = (meta: Partial<RequestMeta>): Promise<CommandResult> =>
      harness.first.ask('container-profile', 'delete', { id: 'nginx' }, meta);
    const changed = await change();
    const removed = await remove({ idempotencyKey: 'delete' });
    expect(await change()).toEqual(changed);
    expect(await remove({ idempotencyKey: 'delete' })).toEqual(removed);
    await expect(remove({})).rejects.toMatchObject({ error: { kind: 'not-found' } });
    await harness.createProfile();
    expect(await remove({ idempotencyKey: 'delete' })).toEqual(removed);
    expect((await patch({})).resource.name).toBe('nginx');
  });
});
