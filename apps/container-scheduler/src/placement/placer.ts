import { RefusedError } from '@stave/contracts';
import {
  AttachmentBatch,
  DEFAULT_PLACEMENT_POLICY,
  decideClusterPlacement,
  getOrCreate,
  loseContainerNode,
  markUnschedulable,
  murmur3,
  place,
  placeContainer,
  placementRequest,
  type ContainerState,
  type NodeView,
  type Placed,
  type PlacementPolicy,
  type PlacementRequest,
  type Reservation,
  type Unschedulable,
} from '@stave/domain';
import { operationContext, type EventContext, type PolicyProjection } from '@stave/service-kit';
import { v7 as uuidv7 } from 'uuid';
import type { ContainerAttachments } from '../attachments/container-attachments.js';
import { demandOf, type Demand } from '../attachments/demand.js';
import { workContext } from '../containers/container.tasks.js';
import { heldContainers, isRuled, rulesIn } from '../policies/held-containers.js';
import { placementPolicyOf } from '../policies/placement-policy.js';
import type { ClusterDrivers } from '../scheduling/cluster-drivers.js';
import type { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { DemandViews } from './demand-views.js';
import { inParallel } from './in-parallel.js';
import { nodeViews } from './node-views.js';
import { nodesAvoidedFirst, withoutPassedOver } from './passed-over.js';

/** Reservations per append; with their explanations they need less than a megabyte. */
const BATCH = 400;

/** How networks and volumes are made, and which drivers nodes have for them. */
export interface AttachmentMaking {
  readonly attachments: ContainerAttachments;
  readonly drivers: ClusterDrivers;
}

interface Wanted {
  readonly request: PlacementRequest;
  readonly demand?: Demand;
}

/** Places the pending containers of a cluster: reserves resources for many in one append, then places each container in its own stream. */
export class Placer {
  constructor(
    private readonly projection: SchedulerProjection,
    private readonly making: AttachmentMaking,
    private readonly policies: PolicyProjection,
  ) {}

  async reconcile(clusterId: string, context: EventContext): Promise<void> {
    const requests = await this.requests(clusterId);
    if (!isRuled(this.projection, this.policies, clusterId))
      return this.placeAll(clusterId, requests, DEFAULT_PLACEMENT_POLICY, context);
    for (const [setId, group] of this.byPolicy(requests)) {
      const policy = placementPolicyOf(this.policies, clusterId, setId);
      const rules = rulesIn(this.policies, clusterId, setId);
      const ruled = group.map(wanted => ({ ...wanted, request: { ...this.withKind(wanted.request), ...rules } }));
      await this.placeAll(clusterId, ruled, policy, context);
    }
  }

  /** Adds what affinity and spread see of the container. */
  private withKind(request: PlacementRequest): PlacementRequest {
    const container = this.projection.containers.get(request.id);
    const { setId } = container?.declared ?? {};
    return { ...request, ...(setId === undefined ? {} : { setId }), labels: container?.contents.labels ?? {} };
  }

  private async placeAll(
    clusterId: string,
    all: readonly Wanted[],
    policy: PlacementPolicy,
    context: EventContext,
  ): Promise<void> {
    let requests = all;
    // what conflicts with others of its batch is placed after them
    while (requests.length > 0) {
      const later: Wanted[] = [];
      for (let i = 0; i < requests.length; i += BATCH)
        later.push(...(await this.placeBatch(clusterId, requests.slice(i, i + BATCH), policy, context)));
      requests = later;
    }
  }

  /** Groups requests by the set whose own policies apply to them; all others are one group. */
  private byPolicy(requests: readonly Wanted[]): ReadonlyMap<string | undefined, Wanted[]> {
    const groups = new Map<string | undefined, Wanted[]>();
    for (const wanted of requests) {
      const setId = this.projection.containers.get(wanted.request.id)?.declared.setId;
      const isOwn = setId !== undefined && (this.policies.bindings.get(setId)?.attachments.size ?? 0) > 0;
      getOrCreate(groups, isOwn ? setId : undefined, () => []).push(wanted);
    }
    return groups;
  }

  private async requests(clusterId: string): Promise<readonly Wanted[]> {
    const { containers, pendingByCluster, placement } = this.projection;
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
      if (!demand) requests.push({ request });
      else if (demand.isMissing) await this.make(state);
      else if (demand.waits !== undefined) await this.wait(id, demand.waits);
      else requests.push({ request, demand });
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
      await this.making.attachments.ensure(cluster, contents, declared.manages ?? [], context, () => uuidv7());
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
    const isDefault = policy === DEFAULT_PLACEMENT_POLICY && !isRuled(this.projection, this.policies, clusterId);
    const held = isDefault ? undefined : heldContainers(this.projection, this.policies, clusterId);
    const demands = wanted.flatMap(({ demand }) => demand ?? []);
    const demandViews = new DemandViews(this.projection, this.making.drivers, clusterId, demands);
    const plain = nodeViews(this.projection, clusterId, held);
    const views = demands.length === 0 ? plain : plain.map(view => demandViews.view(view));
    const seed = murmur3(clusterId, placement.revision(clusterId) + 1);
    const requests = wanted.map(({ request, demand }) => (demand ? demandViews.request(request, demand) : request));
    const decisions = place(views, requests, policy, seed);
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
    await this.reserve(clusterId, views, wanted, placed, context);
    const { reservations } = placement.get(clusterId).ledger;
    await inParallel(placed, ({ requestId, nodeId, ...decision }) => {
      const attached = reservations.get(requestId)?.attached;
      const data = { nodeId, explanation: explanationOf(decision), ...(attached && { attached }) };
      return this.projection.containers.execute(requestId, state => placeContainer(state, data), workContext);
    });
    await inParallel(refused, decision => this.refuse(decision));
    return [...passed, ...(placed.length > 0 ? later : [])];
  }

  /** Returns the request with the node that it passes over as a choice; undefined where it passes over none. */
  private withoutPassedOver(request: PlacementRequest): PlacementRequest | undefined {
    return withoutPassedOver(request, this.projection.containers.get(request.id), Date.now());
  }

  /** Throws RefusedError where the resources are not free any more; the cluster is then reconciled again. */
  private async reserve(
    clusterId: string,
    views: readonly NodeView[],
    wanted: readonly Wanted[],
    placed: readonly Placed[],
    context: EventContext,
  ): Promise<void> {
    const byId = new Map(wanted.map(each => [each.request.id, each]));
    const capacity = new Map(views.map(view => [view.id, view.capacity]));
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
