import {
  accept,
  acceptContainerLoss,
  closePlacement,
  deleteContainer,
  isContainerLossAccepted,
  type ClusterState,
} from '@stave/domain';
import { operationContext } from '@stave/service-kit';
import { workContext } from '../containers/container.tasks.js';
import type { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { inParallel } from './in-parallel.js';
import { ClusterAttachments } from './cluster-attachments.js';
import { NodeReconciler } from './node.reconciler.js';
import { Placer, type PlacementParts } from './placer.js';
import { ReservationReconciler } from './reservation.reconciler.js';

/** Brings the containers of a cluster closer to what was requested. Level-triggered: each call does everything that is due. */
export class ClusterReconciler {
  private readonly nodes: NodeReconciler;
  private readonly reservations: ReservationReconciler;
  private readonly placer: Placer;
  private readonly attachments: ClusterAttachments;

  constructor(
    private readonly projection: SchedulerProjection,
    parts: PlacementParts,
  ) {
    this.nodes = new NodeReconciler(projection);
    this.reservations = new ReservationReconciler(projection);
    this.placer = new Placer(projection, parts);
    this.attachments = new ClusterAttachments(projection);
  }

  async reconcile(clusterId: string): Promise<void> {
    const cluster = this.projection.clusters.get(clusterId);
    if (!cluster) return;
    const operationId = cluster.deleting ? (cluster.operations.at(-1)?.id ?? '') : '';
    const context = operationContext({ id: clusterId, projectId: cluster.created.projectId, clusterId }, operationId);
    if (cluster.deleting) await this.deleteContainers(clusterId, operationId);
    await this.failAcceptedLosses(clusterId, cluster);
    await this.reservations.reconcile(clusterId, context);
    await this.nodes.reconcile(clusterId, context);
    if (!cluster.deleting) return this.placer.reconcile(clusterId, context);
    if (this.containersLeft(clusterId) === 0) await this.attachments.deleteAll(clusterId, operationId);
    const left = (): number => this.containersLeft(clusterId) + this.attachments.left(clusterId);
    const abandoned = this.attachments.abandoned(clusterId);
    await this.projection.placement.append(clusterId, s => accept(...closePlacement(s, left(), abandoned)), context);
  }

  /** Whether the cluster must be reconciled although no event arrives. */
  isUnsettled(clusterId: string, cluster: ClusterState): boolean {
    const { deleting } = cluster;
    const { pendingByCluster, placement, containersByCluster } = this.projection;
    const { containersRemoved } = placement.seen(clusterId);
    const hasPendingNodes = this.nodes.isUnsettled(clusterId);
    if (deleting) return !containersRemoved || containersByCluster.sizeOf(clusterId) > 0;
    const isUnconfirmed = this.reservations.isUnsettled(clusterId);
    const hasLosses = this.acceptedLosses(clusterId, cluster).length > 0;
    return isUnconfirmed || pendingByCluster.sizeOf(clusterId) > 0 || hasPendingNodes || hasLosses;
  }

  /** Returns the missing containers whose loss was accepted. The cost is that of the containers whose loss is suspected. */
  private acceptedLosses(clusterId: string, { lossesAccepted = 0 }: ClusterState): readonly string[] {
    const { containers, suspectsByCluster } = this.projection;
    return suspectsByCluster.in(clusterId).filter(id => {
      const state = containers.get(id);
      return state !== undefined && isContainerLossAccepted(state, lossesAccepted);
    });
  }

  private async failAcceptedLosses(clusterId: string, cluster: ClusterState): Promise<void> {
    const { containers } = this.projection;
    await inParallel(this.acceptedLosses(clusterId, cluster), id =>
      containers.execute(id, state => acceptContainerLoss(state, cluster.lossesAccepted ?? 0), workContext),
    );
  }

  /** Counts the containers that are left, and the sets, which may still create some. */
  private containersLeft(clusterId: string): number {
    const { containersByCluster, containers, setsByCluster } = this.projection;
    const sets = setsByCluster.in(clusterId).filter(id => !this.projection.sets.get(id)?.deleted);
    return sets.length + containersByCluster.in(clusterId).filter(id => !containers.get(id)?.deleted).length;
  }

  private async deleteContainers(clusterId: string, operationId: string): Promise<void> {
    const { containersByCluster, containers } = this.projection;
    const request = { operationId, reason: 'the cluster is being deleted' };
    const remaining = containersByCluster.in(clusterId).filter(id => containers.get(id)?.deleting === false);
    await inParallel(remaining, id =>
      containers.execute(
        id,
        state => deleteContainer(state, request),
        state => workContext(state, operationId),
      ),
    );
  }
}
