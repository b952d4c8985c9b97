import { Injectable } from '@nestjs/common';
import type { ContainerState, PlacementRequest } from '@stave/domain';
import { demandOf } from '../attachments/demand.js';
import { ClusterSnapshots } from '../placement/cluster-snapshots.js';
import { nodesToAvoid } from '../placement/passed-over.js';
import { PlacementRequests } from '../placement/placement-requests.js';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';

/** Asks the placement for containers without placing them. */
@Injectable()
export class WaitingRequests {
  constructor(
    private readonly projection: SchedulerProjection,
    private readonly requests: PlacementRequests,
    private readonly snapshots: ClusterSnapshots,
  ) {}

  /** Returns the containers of a cluster that wait for a node, the oldest first, without those that wait for something else. */
  waitingIn(clusterId: string): readonly ContainerState[] {
    const { containers, pendingByCluster, placement, clusters } = this.projection;
    if (pendingByCluster.sizeOf(clusterId) === 0 || clusters.get(clusterId)?.deleting) return [];
    const { reservations } = placement.get(clusterId).ledger;
    return pendingByCluster
      .in(clusterId)
      .flatMap(id => {
        const state = reservations.has(id) ? undefined : containers.get(id);
        return state && state.declared.hostNode === undefined ? [state] : [];
      })
      .sort((a, b) => (a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : 0));
  }

  /** Returns what these containers demand of a node, whether they have one or not. */
  requestsFor(clusterId: string, states: readonly ContainerState[], nowMs: number): readonly PlacementRequest[] {
    const snapshot = this.snapshots.of(clusterId);
    return states.flatMap(state => {
      const demand = demandOf(this.projection, state);
      if (demand?.isMissing || demand?.waits !== undefined) return [];
      return [this.requests.of(state, snapshot, nodesToAvoid(state, nowMs))];
    });
  }
}
