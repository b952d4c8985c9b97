import { Injectable } from '@nestjs/common';
import { accept, reconcileCluster, type ClusterEvent, type ClusterState, type Decision } from '@stave/domain';
import { Names } from '@stave/service-kit';
import { clusterNames } from './cluster.lookup.js';
import { ClusterProjection } from './cluster.projection.js';

/** Appends what follows for a cluster from its node groups, and releases the name of a deleted one. */
@Injectable()
export class ClusterReconciler {
  constructor(
    private readonly projection: ClusterProjection,
    private readonly names: Names,
  ) {}

  /** Idempotent. */
  async reconcile(id: string): Promise<void> {
    const { clusters } = this.projection;
    const cluster = clusters.get(id);
    if (!cluster?.created) return;
    const { projectId, name } = cluster.created;
    const operationId = cluster.operations.at(-1)?.id;
    const context = {
      correlationId: operationId ?? id,
      project: projectId,
      clusterId: id,
      ...(operationId === undefined ? {} : { operationId }),
    };
    const decide = (state: ClusterState): Decision<ClusterEvent> =>
      accept(...reconcileCluster(state, this.projection.surroundings(id)));
    const { state } = await clusters.settle(id, decide, context);
    if (state.deleted) await this.names.release(clusterNames(projectId), name, id, context);
  }
}
