import { clusterStream, nodeGroupStream, type ClusterState, type NodeGroupState } from '@stave/domain';
import { clusterCreated, groupSpec, PROJECT } from '@stave/service-kit/testing';

export const CLUSTER = 'k';
export const TIME = '2026-01-01T00:00:00.000Z';

/** Returns a group with these nodes as its events of one time make it. */
export function scaledGroup(nodes: readonly string[], autoscaling?: object, events: readonly object[] = []) {
  const spec = { ...groupSpec(nodes.length), maxCount: 9, ...(autoscaling && { autoscaling }) };
  const data = { id: 'g', clusterId: CLUSTER, projectId: PROJECT, name: 'w', spec, operationId: 'o' };
  const added = nodes.map((id, ordinal) => ({ id, ordinal }));
  const all = [
    { type: 'NodeGroupCreated', data },
    { type: 'NodesAdded', data: { nodes: added, reason: 'count', operationId: 'o' } },
    ...events,
  ];
  let state: NodeGroupState | undefined;
  for (const event of all) state = nodeGroupStream.evolve(state, event as never, TIME);
  if (!state) throw new Error('the group was not created');
  return state;
}

export function cluster(isPaused = false): ClusterState {
  let state = clusterStream.evolve(undefined, clusterCreated({ id: CLUSTER }) as never, TIME);
  if (isPaused && state) state = clusterStream.evolve(state, { type: 'ClusterPaused', data: {} } as never, TIME);
  if (!state) throw new Error('the cluster was not created');
  return state;
}
