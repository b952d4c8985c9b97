import { Injectable, type OnModuleInit } from '@nestjs/common';
import {
  cancelClusterRollout,
  closeGroups,
  deleteNodeGroup,
  groupRolloutProgress,
  isCancelled,
  nextGroupToRollOut,
  nodeRolloutKindOf,
  omitUndefined,
  runnableRollout,
  startClusterRollout,
  type ClusterState,
  type RollingGroup,
} from '@stave/domain';
import { operationContext, ResourceRegistry } from '@stave/service-kit';
import { clusterContext, DeclaredGroups } from '../fleet/declared-groups.js';
import { FleetProjection } from '../fleet/fleet.projection.js';
import { NodeGroupRegistry } from './node-group-registry.js';

const CONCURRENCY = 16;

/** Creates the node groups that a cluster was created with, continues its rollouts, and deletes the groups with the cluster. */
@Injectable()
export class ClusterReconciler implements OnModuleInit {
  constructor(
    private readonly projection: FleetProjection,
    private readonly declared: DeclaredGroups,
    private readonly names: NodeGroupRegistry,
    private readonly resources: ResourceRegistry,
  ) {}

  onModuleInit(): void {
    const reconcile = (id: string): Promise<void> => this.reconcile(id);
    const isUnsettled = (_id: string, state: ClusterState): boolean => this.isUnsettled(state);
    this.resources.reconcile('cluster', this.projection.clusters, { reconcile, concurrency: CONCURRENCY, isUnsettled });
  }

  /** Whether a call of `reconcile` has anything to do. */
  isUnsettled(cluster: ClusterState): boolean {
    if (cluster.deleted) return false;
    return cluster.deleting || cluster.rollout !== undefined || this.declared.missingOf(cluster).length > 0;
  }

  async reconcile(clusterId: string): Promise<void> {
    const cluster = this.projection.clusters.get(clusterId);
    if (!cluster || cluster.deleted) return;
    if (cluster.deleting) return this.deleteGroups(clusterId, cluster);
    await this.declared.createMissing(cluster);
    await this.continueRollout(clusterId, cluster);
  }

  /** Starts the next node group of a rollout, one after the other; cancels the current one where the operation was cancelled. */
  private async continueRollout(clusterId: string, cluster: ClusterState): Promise<void> {
    const { rollout, created } = cluster;
    if (!rollout) return;
    const { groups } = this.projection;
    const { operationId } = rollout;
    const context = operationContext({ id: clusterId, projectId: created.projectId, clusterId }, operationId);
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
      if (!state || state.deleting) return [];
      const { declared, spec, createdAt } = state;
      const rollout = groupRolloutProgress(state);
      return [{ id, name: declared.name, role: spec.role, createdAt, ...omitUndefined({ rollout }) }];
    });
  }

  private async deleteGroups(clusterId: string, { created, operations, forced }: ClusterState): Promise<void> {
    const { groups, registry } = this.projection;
    const operationId = operations.at(-1)?.id ?? '';
    const context = clusterContext(this.projection, created, operationId);
    const { state } = await registry.execute(clusterId, closeGroups, context);
    for (const groupId of state.groups.keys()) {
      const isAbsent = !(await groups.load(groupId)).state && (await this.names.abandonCreation(groupId, context));
      const deletion = { operationId, force: forced };
      const isRemoved =
        isAbsent || (await groups.execute(groupId, s => deleteNodeGroup(s, deletion), context)).state.deleted;
      if (isRemoved) await this.names.unregister(clusterId, groupId, context);
    }
    await registry.execute(clusterId, closeGroups, context);
  }
}
