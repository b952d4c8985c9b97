import { Controller } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, type ServiceRequest } from '@stave/contracts';
import {
  fullNodeGroupAutoscaling,
  heldUntilMs,
  instantOf,
  isRollingOut,
  omitUndefined,
  restsUntilMs,
  type NodeGroupScalingState,
  type NodeGroupState,
  type Shrink,
} from '@stave/domain';
import { Feed, finderOf, type Finder } from '@stave/service-kit';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { GroupShrink } from './group-shrink.js';
import { ScaledGroups, type FollowedGroup } from './scaled-groups.js';

/** Candidates that an answer lists. */
const MOST_CANDIDATES = 100;

type Shown = Pick<Shrink, 'since' | 'blocked'>;

/** Answers how a node group follows what waits and what is idle. */
@Controller()
export class GroupAutoscalingController {
  private readonly group: Finder<NodeGroupState>;

  constructor(
    private readonly projection: SchedulerProjection,
    private readonly groups: ScaledGroups,
    private readonly shrink: GroupShrink,
    private readonly feed: Feed,
  ) {
    this.group = finderOf(feed, projection.groups, ({ declared }) => declared);
  }

  @MessagePattern(commandSubject('container-scheduler', 'container', 'autoscaling'))
  async autoscaling({ meta, body }: ServiceRequest<{ readonly nodeGroup: string }>): Promise<object> {
    await this.feed.caughtUp();
    const { id, state: group } = await this.group(meta, body.nodeGroup);
    const { clusterId } = group.declared;
    const now = Date.now();
    const { groups } = this.groups.in(clusterId, now);
    const followed = groups.find(each => each.id === id);
    const enabled = group.spec.autoscaling?.enabled === true;
    const found = enabled ? this.shrink.look(clusterId, now) : undefined;
    const { count, minCount, maxCount } = group.spec;
    const open = this.groups.openProposal(clusterId, group);
    const [rests, held] = [restsUntilMs(group), heldUntilMs(group)].map(at => (at > now ? instantOf(at) : undefined));
    return omitUndefined({
      state: this.stateOf(group, followed, now),
      count,
      minCount,
      maxCount,
      upcoming: followed?.upcoming ?? 0,
      proposal: open ? { id: open.proposalId, at: open.at, ...what(open) } : null,
      candidates: found ? this.candidates(group, found) : [],
      backoff: group.lacksCapacity
        ? { failures: group.lacksCapacity.times, until: instantOf(restsUntilMs(group)), isOver: rests === undefined }
        : null,
      heldUntil: enabled ? held : undefined,
      lastRefusal: group.refused ?? null,
    });
  }

  private stateOf(group: NodeGroupState, followed: FollowedGroup | undefined, now: number): NodeGroupScalingState {
    const { spec, declared } = group;
    const { minCount, maxCount, count, autoscaling } = spec;
    if (!autoscaling?.enabled) return 'disabled';
    const isPaused = this.projection.clusters.get(declared.clusterId)?.paused === true || isRollingOut(group);
    const states: readonly (readonly [NodeGroupScalingState, boolean])[] = [
      ['held', now < heldUntilMs(group)],
      ['paused', isPaused || group.deleting],
      ['scalingOut', (followed?.upcoming ?? 0) > 0],
      ['scalingIn', this.isShrinking(group)],
      ['resting', now < restsUntilMs(group)],
      ['quotaLimited', this.groups.quotaLeft(group, now) === 0],
      ['atMax', count >= (maxCount ?? Infinity)],
      ['atMin', count <= minCount],
    ];
    return states.find(([, holds]) => holds)?.[0] ?? 'steady';
  }

  private isShrinking({ members, declared }: NodeGroupState): boolean {
    const { unneeded } = this.projection.placement.get(declared.clusterId);
    return [...members.values()].some(
      ({ id, leaving, reason }) => unneeded.has(id) || (leaving && reason === 'not needed'),
    );
  }

  /** Returns the nodes of the group of which so little is requested that they may be removed, and what keeps each of them. */
  private candidates({ members, spec }: NodeGroupState, { since, blocked }: Shown): readonly object[] {
    const { idleSeconds } = fullNodeGroupAutoscaling(spec.autoscaling ?? {});
    const all = [...members.keys()].flatMap(nodeId => {
      const from = since.get(nodeId);
      const block = blocked.get(nodeId);
      if (from === undefined && (block === undefined || block === 'USED')) return [];
      const ripe = from === undefined ? undefined : instantOf(from + idleSeconds * 1000);
      return [
        {
          nodeId,
          name: this.projection.nodes.get(nodeId)?.declared.name ?? null,
          idleSince: from === undefined ? null : instantOf(from),
          removableAt: ripe ?? null,
          blockedBy: block === undefined ? [] : [block],
        },
      ];
    });
    return all.slice(0, MOST_CANDIDATES);
  }
}

const what = (open: { readonly nodes: number } | { readonly nodeIds: readonly string[] }): object =>
  'nodes' in open ? { nodes: open.nodes } : { nodeIds: open.nodeIds };
