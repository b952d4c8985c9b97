import { Injectable } from '@nestjs/common';
import {
  accept,
  growNodeGroups,
  headroomOf,
  instantOf,
  murmur3,
  simulatedPlacement,
  stableId,
  type ClusterPlacement,
  type ClusterPlacementEvent,
  type Place,
  type PlacementRequest,
} from '@stave/domain';
import { AUTOSCALER, operationContext, type EventContext } from '@stave/service-kit';
import { GroupedIds } from '../scheduling/grouped-ids.js';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { ScaledGroups, type FollowedGroup, type ScaledNodes } from './scaled-groups.js';
import { WaitingRequests } from './waiting-requests.js';
import { countProposals } from './proposal-counts.js';

/** The most containers that a proposal names. */
const MOST_NAMED = 5;
/** How soon a capacity that is being asked for is checked again, in milliseconds. */
const SOON_MS = 100;
/** An evaluation takes this share of the time of a cluster at most. */
const REST_FACTOR = 9;

interface Memory {
  /** When each container that waits was first seen to wait. */
  readonly since: Map<string, number>;
  /** Those for which the last evaluation found no place. */
  left: ReadonlySet<string>;
  /** Those that waited at the last evaluation and wait since then. */
  decided: ReadonlySet<string>;
  /** Before which nothing is evaluated. */
  restsUntil: number;
}

/** The cluster as growth was decided on. */
interface Snapshot extends ScaledNodes {
  readonly requests: readonly PlacementRequest[];
}

/** Places by the policies that the requests carry; ties by the cluster. */
export const placeIn = (clusterId: string): Place => simulatedPlacement(murmur3(clusterId, 0));

/** Proposes nodes for what waits in a cluster. */
@Injectable()
export class GroupGrowth {
  private readonly memories = new Map<string, Memory>();
  /** The clusters that would grow more with more quota, by project. */
  private readonly limited = new GroupedIds();

  constructor(
    private readonly projection: SchedulerProjection,
    private readonly groups: ScaledGroups,
    private readonly waiting: WaitingRequests,
  ) {}

  forget(clusterId: string): void {
    this.memories.delete(clusterId);
    this.limited.put(clusterId, undefined);
  }

  /** Returns the clusters of the project in which the quota was in the way of the last evaluation. */
  limitedIn(projectId: string): readonly string[] {
    return this.limited.in(projectId);
  }

  /** Resolves to the milliseconds after which time alone may change the decision. */
  async evaluate(clusterId: string, now: number): Promise<number | undefined> {
    const waiting = this.waiting.waitingIn(clusterId);
    const memory = this.noteWaiting(clusterId, waiting, now);
    if (waiting.length === 0 && !this.isOtherwiseNeeded(clusterId)) return undefined;
    const due = Math.max(memory.restsUntil, this.settledAt(clusterId, memory));
    if (now < due) return due - now;
    const begun = performance.now();
    const requests = this.waiting.requestsFor(clusterId, waiting, now);
    const scaled = this.groups.in(clusterId, now);
    const snapshot = { ...scaled, requests };
    if (await this.reopened(clusterId, snapshot)) return undefined;
    memory.decided = new Set(memory.since.keys());
    const againMs = await this.propose(clusterId, snapshot, memory, now);
    memory.restsUntil = Date.now() + REST_FACTOR * (performance.now() - begun);
    return scaled.isOpen ? SOON_MS : againMs;
  }

  /** Whether something waits that may need a node which was closed: no evaluation has decided on it yet. */
  isUndecided(clusterId: string): boolean {
    const decided = this.memories.get(clusterId)?.decided;
    return this.waiting.waitingIn(clusterId).some(({ declared }) => decided?.has(declared.id) !== true);
  }

  private noteWaiting(clusterId: string, waiting: ReturnType<WaitingRequests['waitingIn']>, now: number): Memory {
    const before = this.memories.get(clusterId);
    const since = new Map<string, number>();
    for (const { declared, placement, createdAt } of waiting) {
      const seen = before?.since.get(declared.id) ?? now;
      since.set(declared.id, placement ? seen : Math.min(seen, Date.parse(createdAt)));
    }
    const decided = new Set([...(before?.decided ?? [])].filter(id => since.has(id)));
    const memory = { since, decided, left: before?.left ?? new Set<string>(), restsUntil: before?.restsUntil ?? 0 };
    this.memories.set(clusterId, memory);
    return memory;
  }

  /** Whether there is something to decide although nothing waits: a group keeps room free, or a proposal is open. */
  private isOtherwiseNeeded(clusterId: string): boolean {
    const { groups, groupsByCluster } = this.projection;
    return groupsByCluster.in(clusterId).some(id => {
      const group = groups.get(id);
      const { enabled, headroom } = group?.spec.autoscaling ?? {};
      const open = group && this.groups.openProposal(clusterId, group);
      return (enabled === true && (headroom?.containers ?? 0) > 0) || (open !== undefined && 'nodes' in open);
    });
  }

  /** Returns when what began to wait lately has waited long enough; milliseconds. What an evaluation found no place for does not count. */
  private settledAt(clusterId: string, { since, left }: Memory): number {
    const fresh = [...since].filter(([id]) => !left.has(id)).map(([, at]) => at);
    if (fresh.length === 0) return 0;
    const { groups, groupsByCluster } = this.projection;
    const settle = groupsByCluster.in(clusterId).flatMap(id => {
      const { enabled, growSettleSeconds = 1 } = groups.get(id)?.spec.autoscaling ?? {};
      return enabled ? [growSettleSeconds * 1000] : [];
    });
    return Math.min(...fresh) + Math.min(...settle, Infinity);
  }

  /** Opens nodes again that the autoscaler has closed and that something needs which waits. Resolves to whether it did. */
  private async reopened(clusterId: string, { nodes, requests }: Snapshot): Promise<boolean> {
    const { unneeded, proposals } = this.projection.placement.get(clusterId);
    if (unneeded.size === 0 || requests.length === 0) return false;
    // what waits for its release is kept by its group, which grows again
    const isLeaving = (id: string): boolean => {
      const node = this.projection.nodes.get(id);
      return !node || node.removing || node.release !== undefined;
    };
    const opened = nodes.map(node =>
      unneeded.has(node.id) && !isLeaving(node.id) ? { ...node, schedulable: true } : node,
    );
    const used = new Set(placeIn(clusterId)(opened, requests).map(({ nodeId }) => nodeId));
    const needed = [...unneeded].filter(id => used.has(id));
    if (needed.length === 0) return false;
    const events = needed.map((nodeId): ClusterPlacementEvent => ({ type: 'PlacementNodeOpened', data: { nodeId } }));
    const withdrawn = [...proposals.values()].flatMap((proposal): readonly ClusterPlacementEvent[] =>
      'nodeIds' in proposal && proposal.nodeIds.some(id => used.has(id)) ? [withdrawal(proposal, 'needed again')] : [],
    );
    const still = (state: ClusterPlacement): boolean => needed.every(id => state.unneeded.has(id));
    await this.append(clusterId, state => (still(state) ? [...withdrawn, ...events] : []));
    return true;
  }

  private async propose(
    clusterId: string,
    { nodes, groups, requests, until }: Snapshot,
    memory: Memory,
    now: number,
  ): Promise<number | undefined> {
    const begun = Math.min(...memory.since.values());
    const settled = groups.filter(
      ({ autoscaling }) => requests.length === 0 || now >= begun + autoscaling.growSettleSeconds * 1000,
    );
    const place = placeIn(clusterId);
    const { proposals, left } = growNodeGroups({ now, nodes, waiting: requests, groups: settled, place });
    memory.left = new Set(left);
    const isLimited = left.length > 0 && groups.some(({ quotaLeft }) => quotaLeft !== undefined);
    this.limited.put(clusterId, isLimited ? this.projectOf(clusterId) : undefined);
    const idle = requests.length === 0 && groups.every(group => headroomOf(group).length === 0);
    const obsolete = idle ? groups.filter(({ open }) => open && 'nodes' in open) : [];
    await this.append(clusterId, state => [
      ...obsolete.flatMap(group => (group.open && isSame(state, group) ? [withdrawal(group.open, 'not needed')] : [])),
      ...proposals.flatMap(proposal => {
        const group = groups.find(({ id }) => id === proposal.groupId);
        if (!group || group.open || !isSame(state, group)) return [];
        return [this.growth(clusterId, group, proposal, now)];
      }),
    ]);
    const ends = groups.map(({ restsUntil = 0 }) => restsUntil).filter(at => at > now);
    const next = Math.min(...(left.length > 0 ? ends : []), until ?? Infinity);
    return next < Infinity ? next - now : undefined;
  }

  private growth(
    clusterId: string,
    { id: nodeGroupId, state }: FollowedGroup,
    { nodes, places }: { readonly nodes: number; readonly places: readonly string[] },
    now: number,
  ): ClusterPlacementEvent {
    const sequence = this.projection.placement.revision(clusterId) + 1;
    const proposalId = stableId('growth', clusterId, sequence, nodeGroupId);
    const waiting = places.filter(id => this.projection.containers.get(id));
    const about = { proposalId, sequence, nodeGroupId, from: state.spec.count, nodes, at: instantOf(now) };
    return {
      type: 'GrowthProposed',
      data: { ...about, containers: waiting.length, containerIds: waiting.slice(0, MOST_NAMED) },
    };
  }

  private async append(
    clusterId: string,
    events: (state: ClusterPlacement) => readonly ClusterPlacementEvent[],
  ): Promise<void> {
    const context = this.context(clusterId);
    let made: readonly ClusterPlacementEvent[] = [];
    await this.projection.placement.append(clusterId, state => accept(...(made = events(state))), context);
    countProposals(made);
  }

  private projectOf(clusterId: string): string {
    return this.projection.clusters.get(clusterId)?.created.projectId ?? '';
  }

  private context(clusterId: string): EventContext {
    const projectId = this.projectOf(clusterId);
    return { ...operationContext({ id: clusterId, projectId, clusterId }), actor: AUTOSCALER };
  }
}

/** Whether no other proposal was made to the group since. */
const isSame = ({ proposals }: ClusterPlacement, { id, open, state }: FollowedGroup): boolean => {
  const last = proposals.get(id);
  return last === undefined || last === open || last.sequence <= (state.answered ?? -1);
};

const withdrawal = (
  { proposalId, nodeGroupId }: { readonly proposalId: string; readonly nodeGroupId: string },
  reason: string,
): ClusterPlacementEvent => ({ type: 'ProposalWithdrawn', data: { proposalId, nodeGroupId, reason } });
