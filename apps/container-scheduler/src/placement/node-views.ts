import { reservedOn, type HardTaint, type NodeState, type NodeView } from '@stave/domain';
import type { Taint } from '@stave/driver-sdk';
import type { SchedulerModels } from '../scheduler-models.js';

/** What keeps containers off; a mere preference does not. */
const isHard = (taint: Taint): taint is HardTaint => taint.effect !== 'PreferNoSchedule';

/** A cluster's nodes as placement sees them. */
export function nodeViews(models: SchedulerModels, clusterId: string): NodeView[] {
  return models.nodesOf.in(clusterId).flatMap(id => {
    const node = models.nodes.get(id);
    return node?.declared && !node.deleted ? [viewOf(models, clusterId, node, node.declared)] : [];
  });
}

function viewOf(
  models: SchedulerModels,
  clusterId: string,
  node: NodeState,
  declared: NonNullable<NodeState['declared']>,
): NodeView {
  const { id, name, nodeGroupId, zone, region, spec } = declared;
  const { ledger } = models.placement.get(clusterId);
  const group = models.groups.get(nodeGroupId)?.spec;
  const { containers, ...allocated } = reservedOn(ledger, id);
  return {
    id,
    name,
    nodeGroupId,
    ...(zone === undefined ? {} : { zone }),
    ...(region === undefined ? {} : { region }),
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
