import type { Placed } from '@stave/domain';
import type { Demand } from '../attachments/demand.js';
import { isLeavingGroup } from '../scheduling/group-updates.js';
import type { SchedulerProjection } from '../scheduling/scheduler.projection.js';

interface Reserving {
  readonly clusterId: string;
  readonly placed: readonly Placed[];
  readonly demandOf: (containerId: string) => Demand | undefined;
}

/**
 * Returns the nodes of this batch to which it would bind data although their groups have accepted their removal: the data would go with them.
 * The streams of these groups are read, since their events may not have arrived; other placements cost nothing. The nodes are noted, so that
 * the next snapshot knows.
 */
export async function nodesThatLeaveWithData(
  projection: SchedulerProjection,
  { clusterId, placed, demandOf }: Reserving,
): Promise<ReadonlySet<string>> {
  const { groups, nodes, placement, changes, pendingNodes } = projection;
  const { bindings } = placement.get(clusterId).ledger.lent;
  const binds = (containerId: string): boolean =>
    (demandOf(containerId)?.asked.volumes ?? []).some(({ id, scope }) => scope === 'node' && !bindings.has(id));
  const binding = placed.flatMap(({ requestId, nodeId }) => {
    const node = binds(requestId) ? nodes.get(nodeId) : undefined;
    return node ? [node] : [];
  });
  const groupIds = new Set(binding.map(({ declared }) => declared.nodeGroupId));
  await Promise.all([...groupIds].map(id => groups.load(id)));
  const leaving = binding.filter(node => isLeavingGroup(projection, node)).map(({ declared }) => declared.id);
  for (const id of leaving) {
    changes.in(clusterId)?.node(id);
    pendingNodes.put(id, clusterId);
  }
  return new Set(leaving);
}
