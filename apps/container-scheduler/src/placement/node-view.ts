import {
  isOpenNode,
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
import type { EngineReservations } from '../telemetry/engine-reservations.js';
import { isLeavingGroup } from '../scheduling/group-updates.js';
import type { RefusedPlugins } from '../scheduling/refused-plugins.js';
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

/** What is known of nodes beside their own streams. */
interface Surroundings {
  readonly engineReservations: Pick<EngineReservations, 'heldOf'>;
  readonly refusedPlugins: Pick<RefusedPlugins, 'on'>;
  readonly groups: SchedulerProjection['groups'];
}

/** Returns a node with what is reserved on it, also by its engine. What its containers hold is added by the snapshot. */
export function nodeViewOf(
  node: NodeState,
  group: GroupView,
  ledger: PlacementState,
  { engineReservations, refusedPlugins, groups }: Surroundings,
): NodeView {
  const { id, name, nodeGroupId, zone, region, spec } = node.declared;
  const { containers, cpus, memoryMb } = reservedOn(ledger, id);
  const capacity = node.result?.capacity ?? { cpus: 0, memoryMb: 0 };
  const byEngine = engineReservations.heldOf(id, capacity);
  // nothing but an abort opens a node again whose removal waits
  const isLeaving = node.removing || node.release !== undefined || isLeavingGroup({ groups }, node);
  return {
    id,
    name,
    nodeGroupId,
    ...omitUndefined({ zone, region, refusedPlugins: refusedPlugins.on(id) }),
    ready: node.status === 'ACTIVE' && !isLeaving,
    ...(isLeaving && { leaving: true as const }),
    schedulable: isOpenNode(node) && !ledger.closed.has(id),
    role: spec.role,
    labels: spec.labels,
    ...taintsOf(group.taints ? [] : spec.taints),
    ...group,
    capacity,
    allocated: { cpus: cpus + byEngine.cpus, memoryMb: memoryMb + byEngine.memoryMb },
    containers,
  };
}
