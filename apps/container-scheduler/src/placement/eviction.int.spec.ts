import { eventually } from '@stave/platform/testing';
import { SchedulerHarness } from '../scheduler.fixture.js';

describe('eviction', () => {
  let harness: SchedulerHarness;
  beforeEach(async () => {
    harness = await SchedulerHarness.open();
  });
  afterEach(() => harness.close());

  const evicted = (count = 1): Promise<unknown> =>
    eventually(async () => {
      const events = await harness.events(`placement-${harness.clusterId}`, 'NodeEvictionCompleted');
      return events.length === count ? events.at(-1)?.data : undefined;
    }, `${count} completed evictions`);
  const drain = (nodeId: string): Promise<void> => {
    const operation = { id: 'n-2', kind: 'node.drain', total: 1 };
    return harness.append(`node-${nodeId}`, { type: 'NodeDrainRequested', data: { operation } });
  };
  const removeNode = (nodeId: string): Promise<void> =>
    harness.append(`node-${nodeId}`, { type: 'NodeRemovalRequested', data: { reason: 'r', operationId: 'n-3' } });
  const deleteCluster = (): Promise<void> => {
    const operation = { id: 'c-9', kind: 'cluster.delete', total: 1 };
    return harness.append(`cluster-${harness.clusterId}`, { type: 'ClusterDeletionRequested', data: { operation } });
  };
  /** Creates a container on the only node; returns its id. */
  async function activeContainer(profile: object = {}): Promise<string> {
    await harness.createProfile(profile);
    const { id } = (await harness.createContainer()).resource;
    await harness.completeTask('container.create');
    await harness.containerIs(id, 'ACTIVE');
    return id;
  }

  it('moves the containers of a draining node to another node, and reports the node as empty', async () => {
    const first = await harness.node('n1');
    const id = await activeContainer();
    const second = await harness.node('n2');
    await drain(first);
    const removal = await harness.completeTask('container.delete');
    expect(removal.spec).toMatchObject({ id, nodeId: first, generation: 2, options: { site: 'x' } });
    const creation = await harness.completeTask('container.create');
    expect(creation.spec).toMatchObject({ nodeId: second, generation: 3 });
    expect(await harness.containerIs(id, 'ACTIVE')).toMatchObject({ nodeId: second });
    expect(await evicted()).toEqual({ nodeId: first, nodeRevision: 2 });
  });

  it('a taint NoExecute moves the containers that do not tolerate it, and no others', async () => {
    const first = await harness.node('n1');
    const id = await activeContainer();
    const tolerant = (await harness.createContainer({ name: 't', tolerations: [{ key: 'gpu' }] })).resource.id;
    await harness.completeTask('container.create');
    await harness.containerIs(tolerant, 'ACTIVE');
    const other = await harness.node('n2', harness.clusterId, await harness.group(harness.clusterId));
    const group = `nodeGroup-${harness.groupId}`;
    const members = [{ id: first, ordinal: 0 }];
    await harness.append(group, { type: 'NodesAdded', data: { nodes: members, reason: 'count', operationId: 'o' } });
    const tainted = (effect: string) =>
      harness.append(group, {
        type: 'NodeGroupUpdated',
        data: { changes: { taints: [{ key: 'gpu', effect }] }, operationId: 'o' },
      });
    // what runs may stay until the taint drives it away
    await tainted('NoSchedule');
    const later = (await harness.createContainer({ name: 'later' })).resource.id;
    expect((await harness.completeTask('container.create')).spec).toMatchObject({ id: later, nodeId: other });
    expect(await harness.events(`container-${id}`, 'ContainerEvictionRequested')).toEqual([]);
    await tainted('NoExecute');
    expect((await harness.completeTask('container.delete')).spec).toMatchObject({ id, nodeId: first });
    const [eviction] = await harness.events(`container-${id}`, 'ContainerEvictionRequested');
    expect(eviction?.data).toEqual({ nodeId: first, reason: 'its node has the taint gpu:NoExecute' });
    expect((await harness.completeTask('container.create')).spec).toMatchObject({ id, nodeId: other });
    expect(await harness.container(tolerant)).toMatchObject({ status: 'ACTIVE', nodeId: first });
  });

  it('removes the containers of a node before it is rebuilt, and places containers there afterwards', async () => {
    const nodeId = await harness.node('n1');
    const id = await activeContainer();
    const operation = { id: 'n-2', kind: 'node.rebuild', total: 1 };
    await harness.append(`node-${nodeId}`, { type: 'NodeRebuildRequested', data: { operation } });
    await harness.completeTask('container.delete');
    expect(await evicted()).toEqual({ nodeId, nodeRevision: 2 });
    expect(await harness.containerIs(id, 'UNSCHEDULABLE')).toMatchObject({ nodeId: null });
    await harness.append(`node-${nodeId}`, { type: 'NodeDrained', data: {} });
    await harness.nodeBuilt(nodeId, 'node.rebuild', 2);
    expect((await harness.completeTask('container.create')).spec).toMatchObject({ nodeId });
    await harness.containerIs(id, 'ACTIVE');
  });

  it('reports a draining node without containers as empty at once, and reopens it when it is uncordoned', async () => {
    const nodeId = await harness.node('n1');
    await drain(nodeId);
    await evicted();
    await harness.append(`node-${nodeId}`, { type: 'NodeDrained', data: {} }, { type: 'NodeUncordoned', data: {} });
    await harness.placementEvent('PlacementNodeOpened');
    await removeNode(nodeId);
    await evicted(2);
  });

  it('fails a container whose profile names the node that is removed', async () => {
    const nodeId = await harness.node('n1');
    const id = await activeContainer({ hostNode: 'n1' });
    await removeNode(nodeId);
    await harness.completeTask('container.delete');
    expect(await harness.containerIs(id, 'FAILED')).toMatchObject({ nodeId: null });
    await evicted();
  });

  it('does not wait for a container that cannot be removed from a node that is being removed', async () => {
    const nodeId = await harness.node('n1');
    const id = await activeContainer();
    await removeNode(nodeId);
    const task = await eventually(async () => (await harness.claim())[0], 'a task that removes the container');
    await harness.report(task, { type: 'failed', failure: 'permanent', message: 'the node does not answer' });
    await evicted();
    expect(await harness.containerIs(id, 'UNSCHEDULABLE')).toMatchObject({ nodeId: null });
  });

  it('removes every container of a deleted cluster, and reports when none is left', async () => {
    await harness.node('n1');
    const id = await activeContainer();
    await harness.createContainer({ name: 'too-big', resources: { cpus: 99 } });
    await deleteCluster();
    await harness.placementEvent('ClusterPlacementClosed');
    expect(await harness.all('ClusterContainersRemoved')).toHaveLength(0);
    const removal = await harness.completeTask('container.delete');
    expect(removal).toMatchObject({ operationId: 'c-9', spec: { id } });
    await harness.placementEvent('ClusterContainersRemoved');
    await expect(harness.createContainer()).rejects.toMatchObject({ error: { code: 'being-deleted' } });
  });

  it('reports a deleted cluster without containers at once, and none of its nodes', async () => {
    const nodeId = await harness.node('n1');
    await deleteCluster();
    await harness.placementEvent('ClusterContainersRemoved');
    await removeNode(nodeId);
    await harness.append(`node-${nodeId}`, { type: 'NodeDeleted', data: { nodeGroupId: harness.groupId } });
    // what is reported of another cluster comes later than anything of this one
    const other = await harness.cluster('other');
    const draining = await harness.node('n2', other, await harness.group(other));
    await drain(draining);
    await eventually(async () => (await harness.events(`placement-${other}`, 'NodeEvictionCompleted'))[0], 'the other');
    const types = (await harness.events(`placement-${harness.clusterId}`)).map(({ type }) => type);
    expect(types).toEqual(['ClusterPlacementClosed', 'ClusterContainersRemoved']);
  });
});
