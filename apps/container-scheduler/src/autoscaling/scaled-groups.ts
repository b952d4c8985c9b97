import { Injectable } from '@nestjs/common';
import {
  amountsOfNode,
  defaultNodeGroupAutoscaling,
  fullNodeGroupAutoscaling,
  heldUntilMs,
  isRollingOut,
  isShortOfQuota,
  isStaying,
  restsUntilMs,
  spreadOverZones,
  type ClusterState,
  type Member,
  type NodeGroupState,
  type NodeState,
  type NodeView,
  type OpenProposal,
  type ScaledGroup,
} from '@stave/domain';
import { ProjectRoom } from '../quotas/project-room.js';
import { ClusterSnapshots } from '../placement/cluster-snapshots.js';
import type { GroupView } from '../placement/node-view.js';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { ExpectedCapacities } from './expected-capacities.js';

/** A node group that the autoscaler follows, with what it knows of it. */
export interface FollowedGroup extends ScaledGroup {
  readonly state: NodeGroupState;
  /** The last proposal, while the group has not answered it. */
  readonly open?: OpenProposal;
  /** Nodes that are proposed, accepted or being built. */
  readonly upcoming: number;
}

export interface ScaledNodes {
  /** Nodes there, and upcoming ones as if they were there. */
  readonly nodes: readonly NodeView[];
  readonly groups: readonly FollowedGroup[];
  /** How many nodes are upcoming in the cluster. */
  readonly upcoming: number;
  /** When the next upcoming node counts no more; milliseconds. */
  readonly until?: number;
  /** Whether the capacity of nodes of some group is being asked for. */
  readonly isOpen: boolean;
}

const settingsOf = ({ spec }: NodeGroupState) => fullNodeGroupAutoscaling(spec.autoscaling ?? {});

/** Returns whether the node is being built for the first time, and not for too long. */
function isUpcoming(node: NodeState, provisionMs: number, now: number): boolean {
  const { status, wasActive, removing, work, createdAt } = node;
  const isBuilding = status === 'CREATING' && !wasActive && !removing && !work.wanted?.retriesExhausted;
  return isBuilding && now < Date.parse(createdAt) + provisionMs;
}

/** The node groups of a cluster as growing and shrinking see them. */
@Injectable()
export class ScaledGroups {
  constructor(
    private readonly projection: SchedulerProjection,
    private readonly capacities: ExpectedCapacities,
    private readonly snapshots: ClusterSnapshots,
    private readonly room: ProjectRoom,
  ) {}

  /** Returns how many more nodes the quota of the project allows the group, as far as is known; Infinity for any number. */
  quotaLeft(group: NodeGroupState, now: number): number {
    const { projectId } = group.declared;
    const isRefused = isShortOfQuota(group, now) && !this.room.hasGrownSince(projectId, group.refused?.at ?? '');
    return isRefused ? 0 : this.room.left(projectId, amountsOfNode(group.spec));
  }

  /** Returns the last proposal to the group that it has not answered. */
  openProposal(clusterId: string, group: NodeGroupState): OpenProposal | undefined {
    const open = this.projection.placement.get(clusterId).proposals.get(group.declared.id);
    return open && open.sequence > (group.answered ?? -1) ? open : undefined;
  }

  /** Adds to the nodes of a cluster those that are upcoming; groups whose capacity is not known yet do not grow. */
  in(clusterId: string, now: number): ScaledNodes {
    const { engineReservations, groups, groupsByCluster, clusters } = this.projection;
    const cluster = clusters.get(clusterId);
    const all = groupsByCluster.in(clusterId).flatMap(id => groups.get(id) ?? []);
    const sizes = this.capacities.in(clusterId, all);
    let [upcoming, until] = [0, Infinity];
    const nodes = this.snapshots.of(clusterId).table.views.map(view => {
      const node = view.ready ? undefined : this.projection.nodes.get(view.id);
      const group = node && groups.get(node.declared.nodeGroupId);
      const capacity = sizes.get(view.nodeGroupId);
      if (!node || !group || !capacity) return view;
      const provisionMs = settingsOf(group).provisionSeconds * 1000;
      if (!isUpcoming(node, provisionMs, now)) return view;
      upcoming += 1;
      until = Math.min(until, Date.parse(node.createdAt) + provisionMs);
      const allocated = node.result ? view.allocated : engineReservations.onNewNode(view.nodeGroupId, capacity);
      return { ...view, ready: true, capacity, allocated };
    });
    const followed = all.flatMap((group): FollowedGroup[] => {
      const fresh = this.freshNodes(clusterId, group, now);
      const { id, name } = group.declared;
      const capacity = sizes.get(id);
      if (!capacity) return [];
      const allocated = this.projection.engineReservations.onNewNode(id, capacity);
      const view = newNodeView(group, this.snapshots.groupView(clusterId, id), { capacity, allocated }, fresh.zones);
      for (let n = 0; n < fresh.missing; n += 1) nodes.push(view(n));
      upcoming += fresh.missing;
      const { minCount, maxCount = 0, count } = group.spec;
      const left = this.quotaLeft(group, now);
      return [
        {
          id,
          name,
          state: group,
          autoscaling: group.spec.autoscaling ? settingsOf(group) : defaultNodeGroupAutoscaling,
          count: count + fresh.proposed,
          minCount,
          maxCount,
          paused: this.isPaused(cluster, group, now),
          restsUntil: restsUntilMs(group),
          ...(left < Infinity ? { quotaLeft: Math.max(0, left - fresh.proposed) } : {}),
          ...(fresh.open ? { open: fresh.open } : {}),
          upcoming: fresh.missing + this.building(group, now),
          nextNode: n => view(fresh.missing + n),
        },
      ];
    });
    const isOpen = all.some(({ declared, spec }) => spec.autoscaling?.enabled && !sizes.get(declared.id));
    return { nodes, groups: followed, upcoming, isOpen, ...(until < Infinity ? { until } : {}) };
  }

  private isPaused(cluster: ClusterState | undefined, group: NodeGroupState, now: number): boolean {
    return cluster?.paused === true || group.deleting || isRollingOut(group) || now < heldUntilMs(group);
  }

  private building(group: NodeGroupState, now: number): number {
    const provisionMs = settingsOf(group).provisionSeconds * 1000;
    const building = (id: string): boolean => {
      const node = this.projection.nodes.get(id);
      return node !== undefined && isUpcoming(node, provisionMs, now);
    };
    return [...group.members.keys()].filter(building).length;
  }

  /** Returns the nodes that the group is to get and that are not declared yet, and the zones of further ones. */
  private freshNodes(clusterId: string, group: NodeGroupState, now: number) {
    const { spec, members, grewAt, createdAt, nextOrdinal } = group;
    const open = this.openProposal(clusterId, group);
    const proposed = open && 'nodes' in open ? open.nodes : 0;
    const staying = [...members.values()].filter(isStaying);
    const declared = staying.filter(({ id }) => this.projection.nodes.get(id));
    const { provisionSeconds, maxStep } = settingsOf(group);
    const since = Date.parse(grewAt ?? createdAt);
    const isRecent = now < since + provisionSeconds * 1000;
    const missing = (isRecent ? Math.max(0, spec.count - declared.length) : 0) + proposed;
    const ids = Array.from({ length: missing + maxStep }, (_, n) => String(n));
    const zones = spreadOverZones(spec.zones, staying, ids, nextOrdinal);
    return { missing, proposed, zones, ...(open && { open }) };
  }
}

/** Returns how the n-th node looks that the group would get next. */
function newNodeView(
  { declared, spec }: NodeGroupState,
  group: GroupView,
  resources: Pick<NodeView, 'capacity' | 'allocated'>,
  zones: readonly Pick<Member, 'zone' | 'region'>[],
): (n: number) => NodeView {
  const common = {
    nodeGroupId: declared.id,
    ready: true,
    schedulable: true,
    role: spec.role,
    labels: spec.labels,
    taints: [],
    ...group,
    ...resources,
    containers: 0,
  };
  return n => {
    const id = `${declared.id}-new-${n}`;
    const { zone, region } = zones[n] ?? {};
    return {
      id,
      name: id,
      ...common,
      ...(zone === undefined ? {} : { zone }),
      ...(region === undefined ? {} : { region }),
    };
  };
}
