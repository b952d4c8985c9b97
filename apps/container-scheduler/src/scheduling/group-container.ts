import { hasOwnRules, isPending, type ContainerState } from '@stave/domain';
import type { SchedulerProjection } from './scheduler.projection.js';

/** Puts a container that changed into the groups of containers that it belongs to now. */
export function groupContainer(groups: SchedulerProjection, id: string, state: ContainerState): void {
  const { nodeId, unschedulable, deleted, suspectedLoss, contents } = state;
  const { clusterId } = state.declared;
  const cluster = (isIn: boolean): string | undefined => (isIn ? clusterId : undefined);
  groups.containersByCluster.put(id, cluster(!deleted));
  groups.ruledByCluster.put(id, cluster(!deleted && hasOwnRules(contents)));
  groups.pendingByCluster.put(id, cluster(isPending(state)));
  groups.refusedByCluster.put(id, cluster(isPending(state) && unschedulable !== undefined));
  groups.containersByNode.put(id, deleted ? undefined : nodeId);
  groups.suspectsByCluster.put(id, cluster(suspectedLoss !== undefined));
}
