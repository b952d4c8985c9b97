import { omitUndefined, reservedOn, type HardTaint, type NodeState, type NodeView } from '@stave/domain';
import type { Taint } from '@stave/driver-sdk';
import type { SchedulerProjection } from '../scheduling/scheduler.projection.js';

/** Whether the taint excludes containers; PreferNoSchedule does not. */
const isHard = (taint: Taint): taint is HardTaint => taint.effect !== 'PreferNoSchedule';

/** Returns the nodes of a cluster, with what is reserved on them. */
export function nodeViews(projection: SchedulerProjection, clusterId: string): NodeView[] {
  return projection.nodesByCluster.in(clusterId).flatMap(id => {
    const node = projection.nodes.get(id);
    return node && !node.deleted ? [viewOf(projection, clusterId, node)] : [];
  });
}

function viewOf(projection: SchedulerProjection, clusterId: string, node: NodeState): NodeView {
  const { id, name, nodeGroupId, zone, region, spec } = node.declared;
  const { ledger } = projection.placement.get(clusterId);
  const group = projection.groups.get(nodeGroupId)?.spec;
  const { containers, ...allocated } = reservedOn(ledger, id);
  return {
    id,
    name,
    nodeGroupId,
    ...omitUndefined({ zone, region }),
    ready: node.status === 'ACTIVE' && !node.removing,
    schedulable: node.schedulable && !ledger.closed.has(id),
    role: spec.role,
    labels: group?.labels ?? spec.labels,
    taints: (group?.taints ?? spec.taints).filter(isHard),
    capacity: node.result?.capacity ?? { cpus: 0, memoryMb: 0 },
    allocated,
    containers,
  };
}
