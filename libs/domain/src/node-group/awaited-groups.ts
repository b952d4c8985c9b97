import type { ClusterState } from '../cluster/index.js';
import { nodeGroupStream } from './evolve-node-group.js';
import { createNodeGroup } from './node-group-decider.js';
import type { NodeGroupState } from './node-group-state.js';

/** Returns the node groups that clusters were created with and that are not created yet, in the state in which they will be created. */
export function* awaitedGroups(
  clusters: Iterable<ClusterState>,
  isCreated: (groupId: string) => boolean,
): Iterable<{ readonly id: string; readonly state: NodeGroupState }> {
  for (const { created, deleted } of clusters) {
    if (deleted) continue;
    const { id: clusterId, projectId, operation } = created;
    for (const group of created.groups) {
      if (isCreated(group.id)) continue;
      const decision = createNodeGroup({ ...group, clusterId, projectId, operationId: operation.id });
      const events = decision.ok ? decision.events : [];
      const state = events.reduce<NodeGroupState | undefined>((s, e) => nodeGroupStream.evolve(s, e, ''), undefined);
      if (state) yield { id: group.id, state };
    }
  }
}
