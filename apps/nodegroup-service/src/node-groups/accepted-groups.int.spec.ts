import type { CommandResult } from '@stave/contracts';
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
