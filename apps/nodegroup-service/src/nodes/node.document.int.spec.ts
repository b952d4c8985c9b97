import type { StoredDocument } from '@stave/platform';
import { eventually } from '@stave/platform/testing';
import { type Replica } from '@stave/service-kit/testing';
import { NodeGroupHarness } from '../nodegroup.fixture.js';

let harness: NodeGroupHarness;
beforeEach(async () => {
  harness = await NodeGroupHarness.open();
});
afterEach(() => harness.close());

async function nodesOf({ documents }: Replica): Promise<readonly StoredDocument[]> {
  const entries = await (await documents.collection('projection')).find({});
  const entry = entries.find(({ _id }) => _id.startsWith('model:nodes@'));
  const { collection } = (entry?.['serving'] ?? {}) as { readonly collection?: string };
  return collection === undefined ? [] : (await documents.collection(collection)).find({}, { sort: [['_id', 1]] });
}

async function clusterWithNodes(
  harness: NodeGroupHarness,
  replica: Replica,
  count: number,
): Promise<{ id: string; groupId: string }> {
  const { id, groupIds } = await harness.cluster({ a: count });
  await eventually(async () => (await nodesOf(replica)).length === count, 'documents');
  await harness.workOnce();
  await eventually(async () => (await nodesOf(replica)).every(node => node['status'] === 'ACTIVE'), 'active nodes');
  return { id, groupId: groupIds[0] ?? '' };
}

describe('documents of nodes', () => {
  it('a node is read by its id without a read of the log', async () => {
    const replica = await harness.replica();
    await clusterWithNodes(harness, replica, 1);
    const [id = ''] = await harness.nodeIds();
    const reads = jest.spyOn(harness.store, 'readStream');
    const document = await replica.ask<StoredDocument>('node', 'get', { id });
    const ofNode = reads.mock.calls.filter(([stream]) => stream === `node-${id}`);
    expect({ status: document['status'], reads: ofNode.length }).toEqual({ status: 'ACTIVE', reads: 0 });
  });

  it('the document of a node shows labels of the group that changed while no replica wrote documents', async () => {
    const first = await harness.replica();
    const { groupId } = await clusterWithNodes(harness, first, 1);
    await first.stop();
    const changes = { labels: { tier: 'web' } };
    await harness.append(`nodeGroup-${groupId}`, { type: 'NodeGroupUpdated', data: { changes } });
    const second = await harness.replica(first.documents);
    await eventually(
      async () => JSON.stringify((await nodesOf(second))[0]?.['labels']) === JSON.stringify(changes.labels),
      'the new labels',
    );
  });

  it('documents of nodes are the same when they are written again from scratch, also for removed nodes', async () => {
    const first = await harness.replica();
    const { id, groupId } = await clusterWithNodes(harness, first, 2);
    await first.ask('node-group', 'action', { id: groupId, action: 'resize', count: 1 });
    const removed = async (): Promise<boolean> => {
      await harness.workOnce();
      return (await nodesOf(first)).some(({ deleted }) => deleted === true);
    };
    await eventually(removed, 'a removed node');
    await harness.append(`cluster-${id}`, { type: 'ClusterUpdated', data: { changes: { labels: { a: 'b' } } } });
    const head = await harness.store.head();
    await eventually(async () => (await nodesOf(first)).some(({ position }) => position === head), 'the update');
    const second = await harness.replica();
    await eventually(async () => (await nodesOf(second)).length === 2, 'documents');
    expect(await nodesOf(second)).toEqual(await nodesOf(first));
  });
});
