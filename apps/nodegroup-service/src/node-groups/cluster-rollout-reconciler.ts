import {
  groupRolloutProgress,
  isCancelled,
  nextGroupToRollOut,
  runnableRollout,
  startClusterRollout,
  cancelClusterRollout,
  nodeRolloutKindOf,
  type ClusterState,
  type RollingGroup,
} from '@stave/domain';
import type { EventContext } from '@stave/service-kit';
import type { NodeGroupModels } from '../nodegroup-models.js';

/** Lets the groups of a cluster take their turns in what is done to all its nodes, one group after the other. */
export class ClusterRolloutReconciler {
  constructor(private readonly models: NodeGroupModels) {}

  /** Idempotent; a group that has to wait for something of its own is asked again when it changes. */
  async follow(clusterId: string, cluster: ClusterState): Promise<void> {
    const { rollout, created } = cluster;
    if (!rollout || !created) return;
    const { operationId } = rollout;
    const context = { correlationId: operationId, operationId, project: created.projectId, clusterId };
    if (isCancelled(cluster)) return this.stop(clusterId, operationId, context);
    const begun = runnableRollout(cluster);
    const next = begun && nextGroupToRollOut(this.groups(clusterId), begun);
    if (!begun || !next) return;
    await this.models.groups.settle(next.id, s => startClusterRollout(s, begun, nodeRolloutKindOf(begun)), context);
  }

  private async stop(clusterId: string, operationId: string, context: EventContext): Promise<void> {
    for (const { id, rollout } of this.groups(clusterId))
      if (rollout?.operationId === operationId)
        await this.models.groups.settle(id, s => cancelClusterRollout(s, operationId), context);
  }

  /** Those that are being deleted need nothing more. */
  private groups(clusterId: string): readonly RollingGroup[] {
    return this.models.groupsOf(clusterId).flatMap(id => {
      const state = this.models.groups.get(id);
      if (!state?.declared || !state.spec || state.deleting) return [];
      const rollout = groupRolloutProgress(state);
      const { declared, spec, createdAt } = state;
      return [{ id, name: declared.name, role: spec.role, createdAt, ...(rollout ? { rollout } : {}) }];
    });
  }
}
