import {
  omitUndefined,
  reservedOn,
  type HardTaint,
  type NodeState,
  type NodeView,
  type PlacementState,
  type SoftTaint,
} from '@stave/domain';
import type { Taint } from '@stave/driver-sdk';
import type { ClusterDrivers } from '../scheduling/cluster-drivers.js';
import type { SchedulerProjection } from '../scheduling/scheduler.projection.js';

/** Whether the taint excludes containers; PreferNoSchedule does not. */
const isHard = (taint: Taint): taint is HardTaint => taint.effect !== 'PreferNoSchedule';

const isSoft = (taint: Taint): taint is SoftTaint => taint.effect === 'PreferNoSchedule';

/** What the nodes of a group have in common: its labels and taints win over those that a node was built with. */
export interface GroupView {
  readonly labels?: NodeView['labels'];
  readonly taints?: NodeView['taints'];
  readonly softTaints?: NodeView['softTaints'];
  readonly networkDrivers?: readonly string[];
  readonly volumeDrivers?: readonly string[];
}

type TaintViews = Required<Pick<NodeView, 'taints'>> & Pick<NodeView, 'softTaints'>;

export function taintsOf(taints: readonly Taint[]): TaintViews {
  const softTaints = taints.filter(isSoft);
  return { taints: taints.filter(isHard), ...(softTaints.length > 0 ? { softTaints } : {}) };
}

/** Returns what a group says about its nodes; the drivers that they have where they can be listed. */
export function groupViewOf(
  { clusters, groups }: SchedulerProjection,
  drivers: ClusterDrivers,
  clusterId: string,
  groupId: string,
): GroupView {
  const cluster = clusters.get(clusterId);
  const spec = groups.get(groupId)?.spec;
  const driversOn = (kind: 'network' | 'volume'): readonly string[] | undefined =>
    cluster && drivers.driversOn(kind, cluster, groupId);
  return {
    ...(spec && { labels: spec.labels, ...taintsOf(spec.taints) }),
    ...omitUndefined({ networkDrivers: driversOn('network'), volumeDrivers: driversOn('volume') }),
  };
}

/** Returns a node with what is reserved on it. What its containers hold is added by the snapshot. */
export function nodeViewOf(node: NodeState, group: GroupView, ledger: PlacementState): NodeView {
  const { id, name, nodeGroupId, zone, region, spec } = node.declared;
  const { containers, ...allocated } = reservedOn(ledger, id);
  return {
    id,
    name,
    nodeGroupId,
    ...omitUndefined({ zone, region }),
    ready: node.status === 'ACTIVE' && !node.removing,
    schedulable: node.schedulable && !ledger.closed.has(id),
    role: spec.role,
    labels: spec.labels,
    ...taintsOf(group.taints ? [] : spec.taints),
    ...group,
    capacity: node.result?.capacity ?? { cpus: 0, memoryMb: 0 },
    allocated,
    containers,
  };
}
