import { scenario } from '../scenario.fixture.js';
import { eventually } from '@stave/platform/testing';

describe('leaving nodes and clusters', () => {
  const at = scenario();
  const { profile, create, reaches, evictions } = at;

  it('moves containers off a node that drains, then tells that it is empty', async () => {
    const first = await at.world.node(at.clusterId, at.groupId, 'n1');
    await profile();
    const { resource } = await create();
    await at.world.doTask('container.create');
    await reaches(resource.id, 'ACTIVE');
    const second = await at.world.node(at.clusterId, at.groupId, 'n2');
    const operation = { id: 'n-2', kind: 'node.drain', total: 1 };
    await at.world.append(`node-${first}`, { type: 'NodeDrainRequested', data: { operation } });
    const removal = await at.world.doTask('container.delete');
    expect(removal.spec).toMatchObject({ id: resource.id, nodeId: first, generation: 2, options: { site: 'x' } });
    const again = await at.world.doTask('container.create');
    expect(again.spec).toMatchObject({ nodeId: second, generation: 3 });
    expect(await reaches(resource.id, 'ACTIVE')).toMatchObject({ nodeId: second });
    expect(await eventually(async () => ((await evictions()).length > 0 ? evictions() : undefined), 'evicted')).toEqual(
      [{ nodeId: first, nodeRevision: 2 }],
    );
  });

  it('moves containers off a node that is to be rebuilt, and takes some there again afterwards', async () => {
    const nodeId = await at.world.node(at.clusterId, at.groupId, 'n1');
    await profile();
    const { resource } = await create();
    await at.world.doTask('container.create');
    const operation = { id: 'n-2', kind: 'node.rebuild', total: 1 };
    await at.world.append(`node-${nodeId}`, { type: 'NodeRebuildRequested', data: { operation } });
    await at.world.doTask('container.delete');
    expect(await eventually(async () => (await evictions())[0], 'evicted')).toEqual({ nodeId, nodeRevision: 2 });
    expect(await reaches(resource.id, 'UNSCHEDULABLE')).toMatchObject({ nodeId: null });
    await at.world.append(`node-${nodeId}`, { type: 'NodeDrained', data: {} });
    await at.world.built(nodeId, 'node.rebuild', 2);
    expect((await at.world.doTask('container.create')).spec).toMatchObject({ nodeId });
    await reaches(resource.id, 'ACTIVE');
  });

  it('tells at once that a leaving node is empty when nothing was on it, and opens it when it is uncordoned', async () => {
    const nodeId = await at.world.node(at.clusterId, at.groupId, 'n1');
    await at.world.append(`node-${nodeId}`, {
      type: 'NodeDrainRequested',
      data: { operation: { id: 'n-2', kind: 'd', total: 1 } },
    });
    await eventually(async () => (await evictions())[0], 'evicted');
    await at.world.append(`node-${nodeId}`, { type: 'NodeDrained', data: {} }, { type: 'NodeUncordoned', data: {} });
    await eventually(
      async () => (await at.world.events(`placement-${at.clusterId}`, 'PlacementNodeOpened'))[0],
      'opened',
    );
    await at.world.append(`node-${nodeId}`, {
      type: 'NodeRemovalRequested',
      data: { reason: 'r', operationId: 'n-3' },
    });
    await eventually(async () => (await evictions())[1], 'evicted again');
  });

  it('fails a container whose only node is removed', async () => {
    const nodeId = await at.world.node(at.clusterId, at.groupId, 'n1');
    await profile({ hostNode: 'n1' });
    const { resource } = await create();
    await at.world.doTask('container.create');
    await at.world.append(`node-${nodeId}`, {
      type: 'NodeRemovalRequested',
      data: { reason: 'r', operationId: 'n-3' },
    });
    await at.world.doTask('container.delete');
    expect(await reaches(resource.id, 'FAILED')).toMatchObject({ nodeId: null });
    await eventually(async () => (await evictions())[0], 'evicted');
  });

  it('does not wait for ever for a container on a dead node that is being removed', async () => {
    const nodeId = await at.world.node(at.clusterId, at.groupId, 'n1');
    await profile();
    const { resource } = await create();
    await at.world.doTask('container.create');
    await at.world.append(`node-${nodeId}`, {
      type: 'NodeRemovalRequested',
      data: { reason: 'r', operationId: 'n-3' },
    });
    const [task] = await eventually(
      () => at.world.claim().then(tasks => (tasks.length > 0 ? tasks : undefined)),
      'a removal',
    );
    await at.world.report(task!, { type: 'failed', failure: 'permanent', message: 'the node does not answer' });
    await eventually(async () => (await evictions())[0], 'evicted');
    expect(await reaches(resource.id, 'UNSCHEDULABLE')).toMatchObject({ nodeId: null });
  });

  it('empties a cluster that is deleted, and tells', async () => {
    await at.world.node(at.clusterId, at.groupId, 'n1');
    await profile();
    const { resource } = await create();
    await create({ name: 'too-big', resources: { cpus: 99 } });
    await at.world.doTask('container.create');
    await reaches(resource.id, 'ACTIVE');
    const operation = { id: 'c-9', kind: 'cluster.delete', total: 1 };
    await at.world.append(`cluster-${at.clusterId}`, { type: 'ClusterDeletionRequested', data: { operation } });
    const gone = (): Promise<readonly unknown[]> =>
      at.world.events(`placement-${at.clusterId}`, 'ClusterContainersRemoved');
    await eventually(
      async () => (await at.world.events(`placement-${at.clusterId}`, 'ClusterPlacementClosed'))[0],
      'closed',
    );
    expect(await gone()).toHaveLength(0);
    const removal = await at.world.doTask('container.delete');
    expect(removal.operationId).toBe('c-9');
    await eventually(async () => (await gone())[0], 'gone');
    await expect(create()).rejects.toMatchObject({ error: { code: 'being-deleted' } });
  });

  it('tells at once when a cluster without containers is deleted', async () => {
    const operation = { id: 'c-9', kind: 'cluster.delete', total: 1 };
    await at.world.append(`cluster-${at.clusterId}`, { type: 'ClusterDeletionRequested', data: { operation } });
    await eventually(
      async () => (await at.world.events(`placement-${at.clusterId}`, 'ClusterContainersRemoved'))[0],
      'gone',
    );
  });
});
