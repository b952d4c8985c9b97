import {
  omitUndefined,
  reservedOn,
  type HardTaint,
  type HeldContainers,
  type NodeState,
  type NodeView,
  type SoftTaint,
} from '@stave/domain';
import type { Taint } from '@stave/driver-sdk';
import type { SchedulerProjection } from '../scheduling/scheduler.projection.js';

/** Whether the taint excludes containers; PreferNoSchedule does not. */
const isHard = (taint: Taint): taint is HardTaint => taint.effect !== 'PreferNoSchedule';

const isSoft = (taint: Taint): taint is SoftTaint => taint.effect === 'PreferNoSchedule';

type Held = ReadonlyMap<string, readonly HeldContainers[]>;

/** Returns the nodes of a cluster, with what is reserved on them; `held`: the kinds of the containers of each node. */
export function nodeViews(projection: SchedulerProjection, clusterId: string, held?: Held): NodeView[] {
  return projection.nodesByCluster.in(clusterId).flatMap(id => {
    const node = projection.nodes.get(id);
    return node && !node.deleted ? [viewOf(projection, clusterId, node, held?.get(id))] : [];
  });
}

function viewOf(
  projection: SchedulerProjection,
  clusterId: string,
  node: NodeState,
  held: readonly HeldContainers[] | undefined,
): NodeView {
  const { id, name, nodeGroupId, zone, region, spec } = node.declared;
  const { ledger } = projection.placement.get(clusterId);
  const group = projection.groups.get(nodeGroupId)?.spec;
  const { containers, ...allocated } = reservedOn(ledger, id);
  const taints = group?.taints ?? spec.taints;
  const softTaints = taints.filter(isSoft);
  return {
    id,
    name,
    nodeGroupId,
    ...omitUndefined({ zone, region }),
    ready: node.status === 'ACTIVE' && !node.removing,
    schedulable: node.schedulable && !ledger.closed.has(id),
    role: spec.role,
    labels: group?.labels ?? spec.labels,
    taints: taints.filter(isHard),
    ...(softTaints.length > 0 ? { softTaints } : {}),
    ...(held ? { held } : {}),
    capacity: node.result?.capacity ?? { cpus: 0, memoryMb: 0 },
    allocated,
    containers,
  };
}
