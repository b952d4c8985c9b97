import { Injectable } from '@nestjs/common';
import { RefusedError } from '@stave/contracts';
import {
  explain,
  notFound,
  omitUndefined,
  scalingPolicyOf,
  whyNotScaled,
  type ContainerSetState,
  type NodeGroupState,
  type ScalingBlock,
} from '@stave/domain';
import { GroupShrink } from '../autoscaling/group-shrink.js';
import { memberViewOf } from '../sets/member-surroundings.js';
import { effectivePoliciesOf } from '../policies/placement-policy.js';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { SetAutoscaler } from '../set-autoscaling/set-autoscaler.js';
import { ClusterSnapshots } from '../placement/cluster-snapshots.js';
import { Explanations, isNamed, nothingToRemedy, type ShownExplanation } from './explanations.js';
import { scalingHold } from './growth-block.js';
import { keptNodes } from './kept-nodes.js';

export interface ShownSetExplanation extends ShownExplanation {
  /** Why the number of members does not change in a direction. */
  readonly scaling: readonly ScalingBlock[];
}

/** Explains why container sets and node groups do not grow or shrink. */
@Injectable()
export class ScalingExplanations {
  constructor(
    private readonly projection: SchedulerProjection,
    private readonly snapshots: ClusterSnapshots,
    private readonly explanations: Explanations,
    private readonly shrink: GroupShrink,
    private readonly autoscaler: SetAutoscaler,
  ) {}

  /** Explains the first member that waits, or the next one that the set would get, and why the number of members stays. */
  ofSet(set: ContainerSetState, node?: string): ShownSetExplanation {
    const effective = effectivePoliciesOf(this.snapshots.policies, set);
    const now = Date.now();
    const scaling = whyNotScaled(set, {
      now,
      ...omitUndefined({ evaluation: this.autoscaler.now(set, now) }),
      policies: omitUndefined({ out: scalingPolicyOf(effective, 'out'), in: scalingPolicyOf(effective, 'in') }),
      stuck: id => memberViewOf(this.projection, id)?.stuck,
    });
    return { ...this.explanations.ofSet(set, node), scaling };
  }

  /**
   * Explains why a node group does not grow, for the container that waits longest in its cluster, and what keeps its nodes. `node`: one of
   * them, by id or name. Throws RefusedError `not-found`.
   */
  ofNodeGroup(group: NodeGroupState, node?: string): ShownExplanation {
    const { declared, status, members } = group;
    const asked = node === undefined ? undefined : this.namedNode(declared.clusterId, node);
    const nodes = [...members.keys()].filter(key => node === undefined || key === asked);
    if (node !== undefined && nodes.length === 0) throw new RefusedError(notFound('the node in the node group'));
    const refusals = this.kept(group, nodes);
    const kept = refusals.reduce((sum, { count }) => sum + count, 0);
    return {
      status,
      at: new Date().toISOString(),
      position: null,
      nodes: { total: nodes.length, passing: nodes.length - kept },
      refusals,
      ...nothingToRemedy,
      growth: this.growth(group),
    };
  }

  private namedNode(clusterId: string, node: string): string | undefined {
    return this.snapshots.of(clusterId).table.views.find(isNamed(node))?.id;
  }

  private growth({ declared, spec }: NodeGroupState): ShownExplanation['growth'] {
    const { id, name, clusterId } = declared;
    const [first = ''] = this.projection.pendingByCluster.in(clusterId);
    const waiting = this.projection.containers.get(first);
    if (waiting) {
      const input = this.explanations.inputOf(waiting, this.snapshots.of(clusterId), 0);
      return explain({ ...input, groups: (input.groups ?? []).filter(group => group.id === id) }).growth;
    }
    if (spec.autoscaling?.enabled) return [];
    return [{ nodeGroup: id, code: 'DISABLED', sentence: `Group ${name} is not scaled automatically.` }];
  }

  private kept(group: NodeGroupState, nodes: readonly string[]): ShownExplanation['refusals'] {
    const { clusterId } = group.declared;
    const { clusters, placement } = this.projection;
    const now = Date.now();
    const cluster = clusters.get(clusterId);
    const isScaled = group.spec.autoscaling?.enabled === true;
    const found = isScaled ? this.shrink.look(clusterId, now) : { blocked: new Map(), since: new Map() };
    return keptNodes(nodes, {
      group,
      nodes: id => this.projection.nodes.get(id),
      ...found,
      unneeded: placement.get(clusterId).unneeded,
      ...omitUndefined({ hold: cluster && scalingHold(cluster, group, now)?.sentence }),
    });
  }
}
