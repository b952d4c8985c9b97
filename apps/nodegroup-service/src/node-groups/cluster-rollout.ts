import {
  cancelClusterRollout,
  groupRolloutProgress,
  isCancelled,
  nextGroupToRollOut,
  nodeRolloutKindOf,
  runnableRollout,
  startClusterRollout,
  type ClusterState,
  type RollingGroup,
} from '@stave/domain';
import type { FleetProjection } from '../fleet/fleet.projection.js';

/** Continues the rollout of a cluster: its node groups roll out one after the other. */
export class ClusterRollout {
  constructor(private readonly projection: FleetProjection) {}

  /** Starts the next node group, or cancels the current one where the operation was cancelled. Idempotent. */
  async reconcile(clusterId: string, cluster: ClusterState): Promise<void> {
    const { rollout, created } = cluster;
    if (!rollout || !created) return;
    const { groups } = this.projection;
    const { operationId } = rollout;
    const context = { correlationId: operationId, operationId, project: created.projectId, clusterId };
    if (isCancelled(cluster)) {
      for (const { id, rollout: own } of this.rollingGroups(clusterId))
        if (own?.operationId === operationId)
          await groups.settle(id, state => cancelClusterRollout(state, operationId), context);
      return;
    }
    const runnable = runnableRollout(cluster);
    const next = runnable && nextGroupToRollOut(this.rollingGroups(clusterId), runnable);
    if (!runnable || !next) return;
    await groups.settle(next.id, s => startClusterRollout(s, runnable, nodeRolloutKindOf(runnable)), context);
  }

  /** Returns the node groups that are not being deleted. */
  private rollingGroups(clusterId: string): readonly RollingGroup[] {
    return this.projection.groupsOf(clusterId).flatMap(id => {
      const state = this.projection.groups.get(id);
      if (!state?.declared || !state.spec || state.deleting) return [];
      const rollout = groupRolloutProgress(state);
      const { declared, spec, createdAt } = state;
      return [{ id, name: declared.name, role: spec.role, createdAt, ...(rollout ? { rollout } : {}) }];
    });
  }
}
