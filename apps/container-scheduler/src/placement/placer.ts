import { RefusedError } from '@stave/contracts';
import {
  AttachmentBatch,
  decideClusterPlacement,
  getOrCreate,
  loseContainerNode,
  markUnschedulable,
  murmur3,
  place,
  placeContainer,
  placementRequest,
  type ContainerState,
  type NodeTable,
  type Placed,
  type PlacementPolicy,
  type PlacementRequest,
  type Reservation,
  type Unschedulable,
} from '@stave/domain';
import { operationContext, type EventContext } from '@stave/service-kit';
import { v7 as uuidv7 } from 'uuid';
import type { ContainerAttachments } from '../attachments/container-attachments.js';
import { demandOf, type Demand } from '../attachments/demand.js';
import { workContext } from '../containers/container.tasks.js';
import type { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import type { ClusterSnapshots } from './cluster-snapshots.js';
import { inParallel } from './in-parallel.js';
import { nodesAvoidedFirst, withoutPassedOver } from './passed-over.js';
import { placements, placementSeconds } from './placement-measures.js';
import type { PlacementRequests } from './placement-requests.js';

/** Reservations per append; with their explanations they need less than a megabyte. */
const BATCH = 400;

/** How networks and volumes are made, and what containers demand of nodes. */
export interface PlacementParts {
  readonly attachments: ContainerAttachments;
  readonly requests: PlacementRequests;
  readonly snapshots: ClusterSnapshots;
}

interface Wanted {
  readonly container: ContainerState;
  readonly request: PlacementRequest;
  readonly demand?: Demand;
}

/** Places the pending containers of a cluster: reserves resources for many in one append, then places each container in its own stream. */
export class Placer {
  constructor(
    private readonly projection: SchedulerProjection,
    private readonly parts: PlacementParts,
  ) {}

  async reconcile(clusterId: string, context: EventContext): Promise<void> {
    for (const [setId, wanted] of this.byPolicy(await this.waiting(clusterId))) {
      const policy = this.parts.requests.policyOf(clusterId, setId);
      await this.placeAll(clusterId, wanted, policy, context);
    }
  }

  private async placeAll(
    clusterId: string,
    all: readonly Wanted[],
    policy: PlacementPolicy,
    context: EventContext,
  ): Promise<void> {
    let wanted = all;
    // what conflicts with others of its batch is placed after them
    while (wanted.length > 0) {
      const later: Wanted[] = [];
      for (let i = 0; i < wanted.length; i += BATCH)
        later.push(...(await this.placeBatch(clusterId, wanted.slice(i, i + BATCH), policy, context)));
      wanted = later;
    }
  }

  /** Groups containers by the set whose own policies apply to them; all others are one group. */
  private byPolicy(all: readonly Wanted[]): ReadonlyMap<string | undefined, Wanted[]> {
    const groups = new Map<string | undefined, Wanted[]>();
    for (const wanted of all) {
      const { setId } = wanted.container.declared;
      const isOwn =
        setId !== undefined && (this.parts.snapshots.policies.bindings.get(setId)?.attachments.size ?? 0) > 0;
      getOrCreate(groups, isOwn ? setId : undefined, () => []).push(wanted);
    }
    return groups;
  }

  private async waiting(clusterId: string): Promise<readonly Wanted[]> {
    const { containers, pendingByCluster, placement } = this.projection;
    if (pendingByCluster.sizeOf(clusterId) === 0) return [];
    const { reservations } = placement.get(clusterId).ledger;
    const requests: Wanted[] = [];
    const now = Date.now();
    for (const id of pendingByCluster.in(clusterId)) {
      const state = containers.get(id);
      const request = state && placementRequest(state, nodesAvoidedFirst(state, now));
      if (!request || reservations.has(id)) continue;
      if (request.hostNode !== undefined && this.isRemoved(request.hostNode)) {
        await this.lose(id, request.hostNode);
        continue;
      }
      const demand = demandOf(this.projection, state);
      if (!demand) requests.push({ container: state, request });
      else if (demand.isMissing) await this.make(state);
      else if (demand.waits !== undefined) await this.wait(id, demand.waits);
      else requests.push({ container: state, request, demand });
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

  /** Makes the networks and volumes of a container again that were removed since it was created. */
  private async make({ declared, contents }: ContainerState): Promise<void> {
    const cluster = this.projection.clusters.get(declared.clusterId);
    if (!cluster) return;
    try {
      const context = operationContext(declared);
      await this.parts.attachments.ensure(cluster, contents, declared.manages ?? [], context, () => uuidv7());
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      await this.wait(declared.id, `Its network or volume cannot be made: ${error.error.detail}.`);
    }
  }

  /** Shows why a container is not placed although no node has refused it. */
  private async wait(id: string, reason: string): Promise<void> {
    const why = { reason, remedy: { codes: [], sentence: reason }, refusals: [] };
    await this.projection.containers.execute(id, state => markUnschedulable(state, why), workContext);
  }

  /** Returns the requests that have to be placed after those of this batch. */
  private async placeBatch(
    clusterId: string,
    wanted: readonly Wanted[],
    policy: PlacementPolicy,
    context: EventContext,
  ): Promise<readonly Wanted[]> {
    const { placement } = this.projection;
    const begun = performance.now();
    const snapshot = this.parts.snapshots.of(clusterId);
    const { table } = snapshot;
    const seed = murmur3(clusterId, placement.revision(clusterId) + 1);
    const requests = wanted.map(each => this.parts.requests.complete(each, snapshot));
    const decisions = place(table, requests, policy, seed);
    const batch = new AttachmentBatch(placement.get(clusterId).ledger.lent);
    const placed: Placed[] = [];
    const later: Wanted[] = [];
    const refused: Unschedulable[] = [];
    const passed: Wanted[] = [];
    decisions.forEach((decision, i) => {
      const own = wanted[i];
      if (!own) return;
      const { demand } = own;
      const again = decision.placed ? undefined : this.withoutPassedOver(own.request);
      if (again) passed.push({ ...own, request: again });
      else if (!decision.placed) refused.push(decision);
      else if (demand && typeof batch.take(decision.requestId, decision.nodeId, demand.asked) === 'string')
        later.push(own);
      else placed.push(decision);
    });
    placementSeconds({}, (performance.now() - begun) / 1_000);
    await this.reserve(clusterId, table, wanted, placed, context);
    const { reservations } = placement.get(clusterId).ledger;
    await inParallel(placed, ({ requestId, nodeId, ...decision }) => {
      const attached = reservations.get(requestId)?.attached;
      const data = { nodeId, explanation: explanationOf(decision), ...(attached && { attached }) };
      return this.projection.containers.execute(requestId, state => placeContainer(state, data), workContext);
    });
    await inParallel(refused, decision => this.refuse(decision));
    placements({ outcome: 'placed' }, placed.length);
    placements({ outcome: 'unschedulable' }, refused.length);
    placements({ outcome: 'later' }, later.length);
    return [...passed, ...(placed.length > 0 ? later : [])];
  }

  /** Returns the request with the node that it passes over as a choice; undefined where it passes over none. */
  private withoutPassedOver(request: PlacementRequest): PlacementRequest | undefined {
    return withoutPassedOver(request, this.projection.containers.get(request.id), Date.now());
  }

  /** Throws RefusedError where the resources are not free any more; the cluster is then reconciled again. */
  private async reserve(
    clusterId: string,
    table: NodeTable,
    wanted: readonly Wanted[],
    placed: readonly Placed[],
    context: EventContext,
  ): Promise<void> {
    const byId = new Map(wanted.map(each => [each.request.id, each]));
    const capacity = new Map(
      placed.flatMap(({ nodeId }) => {
        const view = table.view(nodeId);
        return view ? [[nodeId, this.projection.engineReservations.leftOf(nodeId, view.capacity)]] : [];
      }),
    );
    const placements = placed.map(({ requestId, nodeId, ...decision }): Reservation => {
      const { request, demand } = byId.get(requestId) ?? {};
      const { cpus, memoryMb } = request ?? { cpus: 0, memoryMb: 0 };
      const attached = demand && { attached: demand.asked };
      return { containerId: requestId, nodeId, cpus, memoryMb, explanation: explanationOf(decision), ...attached };
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
