import type { CommandResult, ResourceDocument } from '@stave/contracts';
import { omitUndefined } from '@stave/domain';
import type { Replica } from '@stave/service-kit/testing';
import { NodeGroupHarness } from '../nodegroup.fixture.js';

const NEVER = new Promise<void>(() => undefined);

/** A replica that answers requests while nobody reconciles, as after a restart until another replica is elected. */
describe('commands on node groups that a cluster was accepted with, before they were created', () => {
  let harness: NodeGroupHarness;
  let replica: Replica;
  let clusterId: string;
  let groupIds: readonly string[];
  beforeEach(async () => {
    harness = await NodeGroupHarness.open({}, { worksFrom: NEVER });
    replica = await harness.replica();
    ({ id: clusterId, groupIds } = await harness.cluster({ w: 2, v: 1 }));
  });
  afterEach(() => harness.close());

  const resize = (ref: object, count: number): Promise<CommandResult> =>
    replica.ask('node-group', 'action', { ...ref, action: 'resize', count });
  const created = async (): Promise<number> => (await harness.all('NodeGroupCreated')).length;

  it.each([
    ['by id', () => ({ id: groupIds[0] ?? '' })],
    ['by id in the cluster', () => ({ id: groupIds[0] ?? '', clusterId })],
    ['by name in the cluster', () => ({ id: 'W', clusterId })],
    ['by name in the project', () => ({ id: 'w' })],
  ])('find the group %s, and no group is created twice', async (_how, ref) => {
    const [first] = await Promise.all([resize(ref(), 5), resize({ id: 'v', clusterId }, 3)]);
    expect(first.resource).toMatchObject({ id: groupIds[0], name: 'w', count: 5 });
    expect(await created()).toBe(2);
    expect((await harness.events(`nodeGroup-${groupIds[0] ?? ''}`)).map(e => e.type)).toEqual([
      'NodeGroupCreated',
      'NodeGroupResized',
    ]);
  });

  it.each([
    ['patched', () => replica.ask('node-group', 'patch', { id: 'w', clusterId, patch: { labels: { a: 'b' } } })],
    ['deleted', () => replica.ask('node-group', 'delete', { id: 'w', clusterId })],
    ['rebuilt', () => replica.ask('node-group', 'action', { id: 'w', clusterId, action: 'rebuild' })],
  ])('the group can be %s', async (_what, command) => {
    await command();
    expect(await created()).toBe(2);
  });

  it('find a group that another replica creates between its two searches', async () => {
    const other = await harness.replica();
    const head = harness.store.head.bind(harness.store);
    let searches = 0;
    jest.spyOn(harness.store, 'head').mockImplementation(async () => {
      searches += 1;
      if (searches === 2) await other.ask('node-group', 'action', { id: 'v', clusterId, action: 'resize', count: 3 });
      return head();
    });
    const { resource } = await resize({ id: 'w', clusterId }, 5);
    expect(resource).toMatchObject({ id: groupIds[0], count: 5 });
    expect(searches).toBeGreaterThan(2);
    expect(await created()).toBe(2);
  });

  it('are refused for groups that no cluster has, and nothing is created', async () => {
    await expect(resize({ id: 'other', clusterId }, 1)).rejects.toMatchObject({ error: { kind: 'not-found' } });
    expect(await created()).toBe(0);
  });

  it('are refused for groups of a cluster that is being deleted, and for requesters of other projects', async () => {
    const actor = { keyId: 'k', role: 'member', project: 'another' } as const;
    const foreign = replica.ask('node-group', 'action', { id: groupIds[0], action: 'resize', count: 1 }, { actor });
    await expect(foreign).rejects.toMatchObject({ error: { kind: 'not-found' } });
    await harness.deleteCluster(clusterId);
    await expect(resize({ id: groupIds[0] ?? '' }, 1)).rejects.toMatchObject({ error: { kind: 'not-found' } });
    expect(await created()).toBe(0);
  });
});

describe('reads at the position at which a cluster was accepted with its node groups', () => {
  let harness: NodeGroupHarness;
  let replica: Replica;
  let clusterId: string;
  let groupId: string;
  let position: number;
  let create: () => void;
  beforeEach(async () => {
    harness = await NodeGroupHarness.open();
    const held = new Promise<void>(resolve => (create = resolve));
    const { append } = harness.store;
    jest.spyOn(harness.store, 'append').mockImplementation(async (stream, events, expected) => {
      if (stream.startsWith('nodeGroup-')) await held;
      return append.call(harness.store, stream, events, expected);
    });
    replica = await harness.replica();
    ({
      id: clusterId,
      groupIds: [groupId = ''],
    } = await harness.cluster({ w: 2 }));
    position = await harness.store.head();
    // the read models have this position
    await listed();
  });
  afterEach(async () => {
    create();
    await harness.close();
  });

  const listed = (): Promise<unknown> =>
    replica.ask('node-group', 'list', { limit: 1, filter: {} }, { minPosition: position });
  const get = (ref: object, minPosition?: number): Promise<ResourceDocument> =>
    replica.ask('node-group', 'get', ref, omitUndefined({ minPosition }));

  it.each([
    ['by id', () => ({ id: groupId })],
    ['by id in the cluster', () => ({ id: groupId, clusterId })],
    ['by name in the cluster', () => ({ id: 'W', clusterId })],
    ['by name in the project', () => ({ id: 'w' })],
  ])('wait for a group that is requested %s, and find it', async (_how, ref) => {
    const shown = get(ref(), position);
    const answered = jest.fn();
    shown.then(answered, answered);
    await listed();
    expect(answered).not.toHaveBeenCalled();
    create();
    expect(await shown).toMatchObject({ id: groupId, name: 'w', count: 2 });
  });

  it('are answered 503, and not 404, when the group is not created in time', async () => {
    await expect(get({ id: groupId }, position)).rejects.toMatchObject({
      error: { code: 'read-model-behind', kind: 'unavailable', retryAfterMs: 1_000 },
    });
  });

  it('do not wait for what no cluster was accepted with, for groups of other projects, or without a position', async () => {
    const missing = { error: { kind: 'not-found' } };
    const actor = { keyId: 'k', role: 'member', project: 'another' } as const;
    await expect(get({ id: 'other', clusterId }, position)).rejects.toMatchObject(missing);
    await expect(get({ id: groupId })).rejects.toMatchObject(missing);
    const foreign = replica.ask('node-group', 'get', { id: groupId }, { minPosition: position, actor });
    await expect(foreign).rejects.toMatchObject(missing);
  });
});
