import type { StoredDocument } from '@stave/platform';
import { eventually } from '@stave/platform/testing';
import { World, type Replica } from '../nodegroup.fixture.js';

let world: World;
beforeEach(async () => {
  world = await World.open();
});
afterEach(() => world.close());

async function nodesOf({ documents }: Replica): Promise<readonly StoredDocument[]> {
  return (await documents.collection('nodes@1')).find({}, { sort: [['_id', 1]] });
}

async function made(world: World, replica: Replica, count: number): Promise<{ id: string; groupId: string }> {
  const { id, groupIds } = await world.cluster({ a: count });
  await eventually(async () => (await nodesOf(replica)).length === count, 'documents');
  await world.workOnce();
  await eventually(async () => (await nodesOf(replica)).every(node => node['status'] === 'ACTIVE'), 'active nodes');
  return { id, groupId: groupIds[0] ?? '' };
}

describe('documents of nodes', () => {
  it('show labels of their group that changed while nobody wrote documents', async () => {
    const first = await world.replica();
    const { groupId } = await made(world, first, 1);
    await first.stop();
    const changes = { labels: { tier: 'web' } };
    await world.append(`nodeGroup-${groupId}`, { type: 'NodeGroupUpdated', data: { changes } });
    const second = await world.replica(first.documents);
    await eventually(
      async () => JSON.stringify((await nodesOf(second))[0]?.['labels']) === JSON.stringify(changes.labels),
      'the new labels',
    );
  });

  it('are the same when they are written anew, those of removed nodes too', async () => {
    const first = await world.replica();
    const { id, groupId } = await made(world, first, 2);
    await world.ask(first, 'node-group', 'action', { id: groupId, action: 'resize', count: 1 });
    const removed = async (): Promise<boolean> => {
      await world.workOnce();
      return (await nodesOf(first)).some(({ deleted }) => deleted === true);
    };
    await eventually(removed, 'a removed node');
    await world.append(`cluster-${id}`, { type: 'ClusterUpdated', data: { changes: { labels: { a: 'b' } } } });
    const head = await world.store.head();
    await eventually(async () => (await nodesOf(first)).some(({ position }) => position === head), 'the update');
    const second = await world.replica();
    await eventually(async () => (await nodesOf(second)).length === 2, 'documents');
    expect(await nodesOf(second)).toEqual(await nodesOf(first));
  });
});
