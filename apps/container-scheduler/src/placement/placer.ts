import {
  decideClusterPlacement,
  loseContainerNode,
  markUnschedulable,
  murmur3,
  place,
  placeContainer,
  placementRequest,
  rejectionBackoffMs,
  type ContainerState,
  type NodeView,
  type Placed,
  type PlacementRequest,
  type Reservation,
  type Unschedulable,
} from '@stave/domain';
import type { EventContext, PolicyProjection } from '@stave/service-kit';
import { workContext } from '../containers/container.tasks.js';
import { placementPolicyOf } from '../policies/placement-policy.js';
import type { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { inParallel } from './in-parallel.js';
import { nodeViews } from './node-views.js';

/** Reservations per append; with their explanations they need less than a megabyte. */
const BATCH = 400;

/** Places the pending containers of a cluster: reserves resources for many in one append, then places each container in its own stream. */
export class Placer {
  constructor(
    private readonly projection: SchedulerProjection,
    private readonly policies: PolicyProjection,
  ) {}

  async reconcile(clusterId: string, context: EventContext): Promise<void> {
    const requests = await this.requests(clusterId);
    for (let i = 0; i < requests.length; i += BATCH)
      await this.placeBatch(clusterId, requests.slice(i, i + BATCH), context);
  }

  private async requests(clusterId: string): Promise<readonly PlacementRequest[]> {
    const { containers, pendingByCluster, placement } = this.projection;
    const { reservations } = placement.get(clusterId).ledger;
    const requests: PlacementRequest[] = [];
    const now = Date.now();
    for (const id of pendingByCluster.in(clusterId)) {
      const state = containers.get(id);
      const request = state && placementRequest(state, nodesToAvoid(state, now));
      if (!request || reservations.has(id)) continue;
      if (request.hostNode !== undefined && this.isRemoved(request.hostNode)) await this.lose(id, request.hostNode);
      else requests.push(request);
    }
    return requests;
  }

  /** A node that a container names was declared before the container: one that is not known was deleted. */
  private isRemoved(nodeId: string): boolean {
    const node = this.projection.nodes.get(nodeId);
    return !node || node.removing || node.deleted;
  }

  private async lose(id: string, nodeId: string): Promise<void> {
    await this.projection.containers.execute(id, state => loseContainerNode(state, nodeId), workContext);
  }

  private async placeBatch(
    clusterId: string,
    requests: readonly PlacementRequest[],
    context: EventContext,
  ): Promise<void> {
    const views = nodeViews(this.projection, clusterId);
    const seed = murmur3(clusterId, this.projection.placement.revision(clusterId) + 1);
    const decisions = place(views, requests, placementPolicyOf(this.policies, clusterId), seed);
    const placed = decisions.flatMap(decision => (decision.placed ? [decision] : []));
    const refused = decisions.flatMap(decision => (decision.placed ? [] : [decision]));
    await this.reserve(clusterId, views, requests, placed, context);
    await inParallel(placed, ({ requestId, nodeId, ...decision }) =>
      this.projection.containers.execute(
        requestId,
        state => placeContainer(state, { nodeId, explanation: explanationOf(decision) }),
        workContext,
      ),
    );
    await inParallel(refused, decision => this.refuse(decision));
  }

  /** Throws RefusedError where the resources are not free any more; the cluster is then reconciled again. */
  private async reserve(
    clusterId: string,
    views: readonly NodeView[],
    requests: readonly PlacementRequest[],
    placed: readonly Placed[],
    context: EventContext,
  ): Promise<void> {
    const byId = new Map(requests.map(request => [request.id, request]));
    const capacity = new Map(views.map(view => [view.id, view.capacity]));
    const placements = placed.map(({ requestId, nodeId, ...decision }): Reservation => {
      const { cpus, memoryMb } = byId.get(requestId) ?? { cpus: 0, memoryMb: 0 };
      return { containerId: requestId, nodeId, cpus, memoryMb, explanation: explanationOf(decision) };
    });
    const reserve = { type: 'Reserve', placements, capacity } as const;
    await this.projection.placement.append(clusterId, state => decideClusterPlacement(reserve, state), context);
  }

  private async refuse({ requestId, unschedulable, remedy, refusals }: Unschedulable): Promise<void> {
    const why = { reason: `${unschedulable} ${remedy.sentence}`, remedy, refusals };
    await this.projection.containers.execute(requestId, state => markUnschedulable(state, why), workContext);
  }
}

function explanationOf(decision: Omit<Placed, 'requestId' | 'nodeId'>): Reservation['explanation'] {
  const { scores, refusals, seed, policy } = decision;
  return { scores, refusals, seed, policy };
}

/** Returns the ids of nodes that the container is not placed on now: they recently had too few resources for it. */
export function nodesToAvoid({ recentlyRejectedBy }: ContainerState, nowMs: number): readonly string[] {
  return Object.entries(recentlyRejectedBy).flatMap(([nodeId, { times, since }]) =>
    nowMs < Date.parse(since) + rejectionBackoffMs(times) ? [nodeId] : [],
  );
}
