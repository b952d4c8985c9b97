import { deleteContainer, closePlacement, type ClusterState } from '@stave/domain';
import type { EventContext } from '@stave/service-kit';
import { workContext } from '../containers/container-tasks.js';
import type { SchedulerModels } from '../scheduler-models.js';
import { inParallel } from './in-parallel.js';
import { NodeReconciler } from './node-reconciler.js';
import { Placer } from './placer.js';
import { ReservationReconciler } from './reservation-reconciler.js';

/** Brings the containers of one cluster nearer to what is asked for. Level-triggered: a look does all that is due. */
export class ClusterReconciler {
  private readonly nodes: NodeReconciler;
  private readonly room: ReservationReconciler;
  private readonly placer: Placer;

  constructor(private readonly models: SchedulerModels) {
    this.nodes = new NodeReconciler(models);
    this.room = new ReservationReconciler(models);
    this.placer = new Placer(models);
  }

  async reconcile(clusterId: string): Promise<void> {
    const cluster = this.models.clusters.get(clusterId);
    if (!cluster?.created) return;
    const operationId = cluster.deleting ? (cluster.operations.at(-1)?.id ?? '') : '';
    const context: EventContext = {
      correlationId: operationId || clusterId,
      project: cluster.created.projectId,
      clusterId,
      ...(operationId ? { operationId } : {}),
    };
    if (cluster.deleting) await this.deleteAll(clusterId, operationId);
    await this.room.reconcile(clusterId, context);
    await this.nodes.reconcile(clusterId, context);
    if (!cluster.deleting) return this.placer.reconcile(clusterId, context);
    await this.models.placement.append(clusterId, state => closePlacement(state, this.left(clusterId)), context);
  }

  /** The safety net looks at these. */
  isUnsettled(clusterId: string, cluster: ClusterState): boolean {
    const { pending, placement, inCluster, containers } = this.models;
    if (cluster.deleting) return !placement.get(clusterId).containersRemoved || inCluster.in(clusterId).length > 0;
    const { reservations } = placement.get(clusterId).ledger;
    const doubtful = [...reservations].some(([id, { nodeId }]) => containers.get(id)?.nodeId !== nodeId);
    return doubtful || pending.in(clusterId).length > 0 || this.nodes.isUnsettled(clusterId);
  }

  private left(clusterId: string): number {
    const { inCluster, containers } = this.models;
    return inCluster.in(clusterId).filter(id => !containers.get(id)?.deleted).length;
  }

  private async deleteAll(clusterId: string, operationId: string): Promise<void> {
    const { inCluster, containers } = this.models;
    const request = { operationId, reason: 'the cluster is being deleted' };
    await inParallel(inCluster.in(clusterId), id =>
      containers.execute(
        id,
        state => deleteContainer(state, request),
        state => workContext(state, operationId),
      ),
    );
  }
}
