import { Injectable } from '@nestjs/common';
import { accept, reconcileCluster, type ClusterEvent, type ClusterState, type Decision } from '@stave/domain';
import { ClusterLookup } from './cluster.lookup.js';
import { ClusterProjection } from './cluster.projection.js';
import { clusterContext } from './cluster.tasks.js';

/** Appends the events of a cluster that follow from its node groups, and releases the name of a deleted cluster. */
@Injectable()
export class ClusterReconciler {
  constructor(
    private readonly projection: ClusterProjection,
    private readonly lookup: ClusterLookup,
  ) {}

  /** Idempotent. */
  async reconcile(id: string): Promise<void> {
    const { clusters } = this.projection;
    const cluster = clusters.get(id);
    if (!cluster) return;
    const context = clusterContext(cluster, cluster.operations.at(-1)?.id);
    const decide = (state: ClusterState): Decision<ClusterEvent> =>
      accept(...reconcileCluster(state, this.projection.surroundings(id)));
    const { state } = await clusters.settle(id, decide, context);
    if (state.deleted) await this.lookup.release(cluster.created, context);
  }
}
