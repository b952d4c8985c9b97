import { Injectable } from '@nestjs/common';
import {
  fullNodeGroupAutoscaling,
  heldUntilMs,
  isOpenNode,
  isRollingOut,
  type ContainerState,
  type HeldRequest,
  type NodeGroupState,
  type PlacementRequest,
  type ShrinkInput,
} from '@stave/domain';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { SetAutoscaler } from '../set-autoscaling/set-autoscaler.js';
import { placeIn } from './group-growth.js';
import { ScaledGroups } from './scaled-groups.js';
import { WaitingRequests } from './waiting-requests.js';

/** Nodes with containers that one evaluation simulates at most. */
const SIMULATIONS = 20;

interface Idle {
  /** Nodes of which so little is requested that they may be candidates. */
  readonly candidates: ReadonlySet<string>;
  /** When a group that grew lately may shrink again; milliseconds. */
  readonly fromMs?: number;
}

/** What shrinking sees of a cluster. */
@Injectable()
export class ShrinkSnapshots {
  constructor(
    private readonly projection: SchedulerProjection,
    private readonly groups: ScaledGroups,
    private readonly waiting: WaitingRequests,
    private readonly sets: SetAutoscaler,
  ) {}

  /**
   * Returns which nodes may be candidates, from the sums of the ledger alone. Only the nodes of groups that may shrink now are asked, so that
   * a cluster in which nothing is idle costs no snapshot.
   */
  idleIn(clusterId: string, now: number): Idle {
    const { groups, groupsByCluster, clusters } = this.projection;
    const candidates = new Set<string>();
    let fromMs = Infinity;
    if (clusters.get(clusterId)?.paused) return { candidates };
    for (const id of groupsByCluster.in(clusterId)) {
      const group = groups.get(id);
      if (!group || !mayShrink(group)) continue;
      const from = Math.max(heldUntilMs(group), grewAtMs(group) + settingsOf(group).delayAfterGrowSeconds * 1000);
      if (now < from) fromMs = Math.min(fromMs, from);
      else for (const nodeId of group.members.keys()) if (this.isIdle(clusterId, group, nodeId)) candidates.add(nodeId);
    }
    return { candidates, ...(fromMs < Infinity ? { fromMs } : {}) };
  }

  /** Returns the cluster as the decision needs it, with the containers of the candidates. */
  inputOf(
    clusterId: string,
    candidates: ReadonlySet<string>,
    since: ReadonlyMap<string, number>,
    now: number,
  ): ShrinkInput {
    const { containers, containersByNode, groups, groupsByCluster } = this.projection;
    const scaled = this.groups.in(clusterId, now);
    const states = [...candidates].flatMap(id => containersByNode.in(id).flatMap(each => containers.get(each) ?? []));
    const staying = states.filter(({ deleting }) => !deleting);
    const moving = this.waiting.requestsFor(clusterId, staying, now);
    const byId = new Map(staying.map(state => [state.declared.id, state]));
    const requests = moving.flatMap((request): readonly HeldRequest[] => {
      const state = byId.get(request.id);
      return state?.nodeId === undefined ? [] : [{ ...request, nodeId: state.nodeId, movable: isMovable(state) }];
    });
    const waiting = this.waiting.requestsFor(clusterId, this.waiting.waitingIn(clusterId), now);
    const grewAt = groupsByCluster.in(clusterId).flatMap(id => {
      const group = groups.get(id);
      return group ? [[id, grewAtMs(group)] as const] : [];
    });
    return {
      now,
      nodes: scaled.nodes.filter(({ ready, schedulable }) => ready && schedulable),
      containers: requests,
      waiting,
      upcoming: scaled.upcoming > 0,
      reserve: this.reserve(clusterId, now),
      groups: scaled.groups,
      grewAt: new Map(grewAt),
      since,
      place: placeIn(clusterId),
      pinned: this.pinned(clusterId, candidates),
      simulations: SIMULATIONS,
    };
  }

  private isIdle(clusterId: string, group: NodeGroupState, nodeId: string): boolean {
    const node = this.projection.nodes.get(nodeId);
    const capacity = node?.result?.capacity;
    if (!capacity || node.status !== 'ACTIVE' || !isOpenNode(node)) return false;
    const { cpuMilli = 0, memoryMb = 0 } = this.projection.placement.get(clusterId).ledger.sums.get(nodeId) ?? {};
    const { idleThreshold } = settingsOf(group);
    const below = (used: number, of: number): boolean => (used === 0 ? idleThreshold > 0 : used < idleThreshold * of);
    return below(cpuMilli / 1000, capacity.cpus) && below(memoryMb, capacity.memoryMb);
  }

  /** Returns the candidates with data that is retained on them. */
  private pinned(clusterId: string, candidates: ReadonlySet<string>): ReadonlySet<string> {
    const { placement, volumes } = this.projection;
    const { boundOn } = placement.get(clusterId).ledger.lent;
    const isPinned = (id: string): boolean =>
      [...(boundOn.get(id) ?? [])].some(volume => volumes.get(volume)?.reclaimPolicy !== 'delete');
    return new Set([...candidates].filter(isPinned));
  }

  /** Returns the members that sets of the cluster may get again, by what their own autoscaler recommended lately. */
  private reserve(clusterId: string, now: number): readonly PlacementRequest[] {
    const { sets, setsByCluster, containers } = this.projection;
    return setsByCluster.in(clusterId).flatMap(id => {
      const set = sets.get(id);
      const more = set ? this.sets.largestRecommended(set, now) - set.spec.desired : 0;
      const [like] = set && more > 0 ? [...set.members.keys()].flatMap(member => containers.get(member) ?? []) : [];
      if (!like) return [];
      return this.waiting
        .requestsFor(clusterId, [like], now)
        .flatMap(request => Array.from({ length: more }, (_, n) => ({ ...request, id: `${request.id} again ${n}` })));
    });
  }
}

const settingsOf = ({ spec }: NodeGroupState) => fullNodeGroupAutoscaling(spec.autoscaling ?? {});

/** Nodes that a group is created with count as growth. */
const grewAtMs = ({ grewAt }: NodeGroupState): number => (grewAt === undefined ? 0 : Date.parse(grewAt));

function mayShrink(group: NodeGroupState): boolean {
  const { spec, deleting } = group;
  return !deleting && spec.autoscaling?.enabled === true && spec.count > spec.minCount && !isRollingOut(group);
}

const isMovable = ({ contents, declared }: ContainerState): boolean =>
  contents.movable !== false && declared.hostNode === undefined;
