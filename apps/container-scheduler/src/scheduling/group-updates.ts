import type { NodeState } from '@stave/domain';
import { idOf, type RecordedEvent } from '@stave/platform';
import type { ResourceChanged } from '@stave/service-kit';
import type { SchedulerProjection } from './scheduler.projection.js';

/** Whether the event gives a node group other taints, which containers on its nodes may not tolerate. */
const changesTaints = ({ data }: RecordedEvent): boolean =>
  (data as { readonly changes?: { readonly taints?: unknown } } | undefined)?.changes?.taints !== undefined;

interface GroupUpdate {
  readonly event: RecordedEvent;
  readonly changed: ResourceChanged;
}

/** Notes the nodes of a group that was updated: placement sees them otherwise, and other taints may drive containers away. */
export function noteGroupUpdate(
  projection: SchedulerProjection,
  clusterId: string,
  { event, changed }: GroupUpdate,
): void {
  const { groups, changes, pendingNodes } = projection;
  for (const nodeId of groups.get(idOf(event))?.members.keys() ?? []) {
    changes.in(clusterId)?.node(nodeId);
    if (!changesTaints(event)) continue;
    pendingNodes.put(nodeId, clusterId);
    projection.reportSetsOn(nodeId, event, changed);
  }
}

/** Whether the group of the node has accepted its removal, which the node itself learns later. */
export const isLeavingGroup = ({ groups }: Pick<SchedulerProjection, 'groups'>, { declared }: NodeState): boolean =>
  groups.get(declared.nodeGroupId)?.members.get(declared.id)?.leaving === true;

/** Notes the nodes whose removal the event accepts: nothing is placed on them from now on, since their data would go with them. */
export function noteLeavingNodes(
  { changes, pendingNodes }: Pick<SchedulerProjection, 'changes' | 'pendingNodes'>,
  clusterId: string,
  { type, data }: RecordedEvent,
): void {
  if (type !== 'NodeRemovalAccepted') return;
  const { nodeIds } = data as { readonly nodeIds: readonly string[] };
  for (const nodeId of nodeIds) {
    changes.in(clusterId)?.node(nodeId);
    pendingNodes.put(nodeId, clusterId);
  }
}
