import { Injectable } from '@nestjs/common';
import {
  accept,
  fullNodeGroupAutoscaling,
  getOrCreate,
  heldUntilMs,
  instantOf,
  isRollingOut,
  isStaying,
  shrinkNodeGroups,
  stableId,
  type ClusterPlacement,
  type ClusterPlacementEvent,
  type Member,
  type NodeGroupState,
  type Shrink,
} from '@stave/domain';
import { AUTOSCALER, operationContext } from '@stave/service-kit';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { GroupGrowth } from './group-growth.js';
import { ShrinkSnapshots } from './shrink-snapshots.js';
import { WaitingRequests } from './waiting-requests.js';
import { countProposals } from './proposal-counts.js';

/** How soon nodes that are being emptied are checked again, in milliseconds. */
const EMPTYING_MS = 500;
const SHORTEST_MS = 1_000;
const LONGEST_MS = 30_000;

interface Memory {
  readonly since: ReadonlyMap<string, number>;
  readonly blocked: Shrink['blocked'];
  readonly nextAt: number;
}

/** Takes away nodes that are not needed: closes them, waits until they are empty, and proposes their removal. */
@Injectable()
export class GroupShrink {
  private readonly memories = new Map<string, Memory>();

  constructor(
    private readonly projection: SchedulerProjection,
    private readonly snapshots: ShrinkSnapshots,
    private readonly waiting: WaitingRequests,
    private readonly growth: GroupGrowth,
  ) {}

  forget(clusterId: string): void {
    this.memories.delete(clusterId);
  }

  /** Returns what keeps nodes from removal: by the last evaluation, in a replica that makes none as it is now. */
  look(clusterId: string, now: number): Pick<Memory, 'since' | 'blocked'> {
    const { candidates } = this.snapshots.idleIn(clusterId, now);
    const known = this.memories.get(clusterId);
    return known ?? shrinkNodeGroups(this.snapshots.inputOf(clusterId, candidates, new Map(), now));
  }

  /** Resolves to the milliseconds after which time alone may change the decision. */
  async evaluate(clusterId: string, now: number): Promise<number | undefined> {
    if (this.unneededIn(clusterId).length > 0) {
      await this.append(clusterId, state => this.underWay(clusterId, state, now));
      return EMPTYING_MS;
    }
    // while something waits no node is idle
    if (this.waiting.waitingIn(clusterId).length > 0) return this.begin(clusterId);
    const { candidates, fromMs } = this.snapshots.idleIn(clusterId, now);
    if (candidates.size === 0) {
      this.begin(clusterId);
      return fromMs === undefined ? undefined : fromMs - now;
    }
    const memory = this.memories.get(clusterId);
    if (memory && now < memory.nextAt) return memory.nextAt - now;
    const found = shrinkNodeGroups(this.snapshots.inputOf(clusterId, candidates, memory?.since ?? new Map(), now));
    const nextAt = this.nextAt(clusterId, found, now);
    this.memories.set(clusterId, { since: found.since, blocked: found.blocked, nextAt });
    if (found.remove.length > 0)
      await this.append(clusterId, state => this.closing(clusterId, state, found.remove, now));
    return nextAt - now;
  }

  /** From now on no node counts as idle. */
  private begin(clusterId: string): undefined {
    this.memories.delete(clusterId);
    return undefined;
  }

  /** The next evaluation: often enough for the shortest idle time, and when the next candidate has been one for long enough. */
  private nextAt(clusterId: string, { since }: Shrink, now: number): number {
    const { nodes, groups, groupsByCluster } = this.projection;
    const idleMs = (groupId: string): number => settingsOf(groups.get(groupId)).idleSeconds * 1000;
    const enabled = groupsByCluster.in(clusterId).filter(id => groups.get(id)?.spec.autoscaling?.enabled);
    const period = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, Math.min(...enabled.map(idleMs)) / 10));
    const ripe = [...since].map(([id, from]) => from + idleMs(nodes.get(id)?.declared.nodeGroupId ?? ''));
    const next = Math.min(now + period, ...ripe.filter(at => at > now));
    return Math.max(next, now + 1);
  }

  /** Returns the nodes that were closed because they are not needed, and that do not leave yet. */
  private unneededIn(clusterId: string): readonly string[] {
    const { unneeded } = this.projection.placement.get(clusterId);
    if (unneeded.size === 0) return [];
    return [...unneeded].filter(id => this.projection.nodes.get(id)?.removing === false);
  }

  /** Closes the nodes. Those that are empty are proposed for removal at once, so that nothing can be placed on them in between. */
  private closing(
    clusterId: string,
    state: ClusterPlacement,
    remove: Shrink['remove'],
    now: number,
  ): readonly ClusterPlacementEvent[] {
    const isStill = ({ nodeId, isEmpty }: Shrink['remove'][number]): boolean =>
      !state.ledger.closed.has(nodeId) && isEmpty === !state.ledger.sums.has(nodeId);
    const chosen = remove.filter(isStill);
    const closed = chosen.map(({ nodeId }): ClusterPlacementEvent => {
      return { type: 'PlacementNodeClosed', data: { nodeId, reason: 'not needed', unneeded: true } };
    });
    const empty = chosen.filter(({ isEmpty }) => isEmpty).map(({ nodeId }) => nodeId);
    return [...closed, ...this.proposals(clusterId, state, empty, now)];
  }

  /**
   * Continues with nodes that were closed: proposes those that are empty, and opens those again that must stay after all. What waits decides
   * first whether it needs one of them.
   */
  private underWay(clusterId: string, state: ClusterPlacement, now: number): readonly ClusterPlacementEvent[] {
    const { nodes, groups } = this.projection;
    const empty: string[] = [];
    const open: ClusterPlacementEvent[] = [];
    const mayPropose = !this.growth.isUndecided(clusterId);
    for (const nodeId of this.unneededIn(clusterId)) {
      if (!state.unneeded.has(nodeId)) continue;
      const group = groups.get(nodes.get(nodeId)?.declared.nodeGroupId ?? '');
      const last = state.proposals.get(group?.declared.id ?? '');
      const isProposed = last !== undefined && 'nodeIds' in last && last.nodeIds.includes(nodeId);
      const isAnswered = last !== undefined && last.sequence <= (group?.answered ?? -1);
      const isRefused = isProposed && isAnswered && !isGoing(group?.members.get(nodeId));
      if (isProposed && !isRefused) continue;
      if (isRefused || !group || !this.mayShrink(clusterId, group, now))
        open.push({ type: 'PlacementNodeOpened', data: { nodeId } });
      else if (mayPropose && !state.ledger.sums.has(nodeId) && (last === undefined || isAnswered)) empty.push(nodeId);
    }
    return [...open, ...this.proposals(clusterId, state, empty, now)];
  }

  private mayShrink(clusterId: string, group: NodeGroupState, now: number): boolean {
    const { spec, deleting } = group;
    const isPaused = this.projection.clusters.get(clusterId)?.paused === true || isRollingOut(group);
    const isFree = !deleting && !isPaused && now >= heldUntilMs(group);
    return isFree && spec.autoscaling?.enabled === true && spec.count > spec.minCount;
  }

  /** Returns one proposal for each group of these nodes. */
  private proposals(
    clusterId: string,
    state: ClusterPlacement,
    nodeIds: readonly string[],
    now: number,
  ): readonly ClusterPlacementEvent[] {
    const { nodes, groups, placement } = this.projection;
    const byGroup = new Map<string, string[]>();
    for (const id of nodeIds) getOrCreate(byGroup, nodes.get(id)?.declared.nodeGroupId ?? '', () => []).push(id);
    const sequence = placement.revision(clusterId) + 1;
    return [...byGroup].flatMap(([nodeGroupId, ids]): readonly ClusterPlacementEvent[] => {
      const group = groups.get(nodeGroupId);
      const last = state.proposals.get(nodeGroupId);
      if (!group || (last !== undefined && last.sequence > (group.answered ?? -1))) return [];
      const proposalId = stableId('shrink', clusterId, sequence, nodeGroupId);
      const about = { proposalId, sequence, nodeGroupId, from: group.spec.count, at: instantOf(now) };
      return [{ type: 'ShrinkProposed', data: { ...about, nodeIds: ids } }];
    });
  }

  private async append(
    clusterId: string,
    events: (state: ClusterPlacement) => readonly ClusterPlacementEvent[],
  ): Promise<void> {
    const projectId = this.projection.clusters.get(clusterId)?.created.projectId ?? '';
    const context = { ...operationContext({ id: clusterId, projectId, clusterId }), actor: AUTOSCALER };
    let made: readonly ClusterPlacementEvent[] = [];
    await this.projection.placement.append(clusterId, state => accept(...(made = events(state))), context);
    countProposals(made);
  }
}

/** A node that waits for its release leaves unless that is aborted. */
const isGoing = (member: Member | undefined): boolean => member !== undefined && !isStaying(member);

const settingsOf = (group: NodeGroupState | undefined) => fullNodeGroupAutoscaling(group?.spec.autoscaling ?? {});
