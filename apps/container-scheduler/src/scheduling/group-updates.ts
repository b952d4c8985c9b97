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
export function isLeavingGroup({ groups }: Pick<SchedulerProjection, 'groups'>, { declared }: NodeState): boolean {
  const group = groups.get(declared.nodeGroupId);
  return group?.members.get(declared.id)?.leaving === true || group?.deleting === true;
}

/**
 * Notes the nodes whose removal the event accepts: nothing is placed on them from now on. Returns whether nodes of the cluster are waited for, of which one
 * may be closed for what this event is, or is not.
 */
export function noteLeavingNodes(
  { changes, pendingNodes, groups }: Pick<SchedulerProjection, 'changes' | 'pendingNodes' | 'groups'>,
  clusterId: string,
  event: RecordedEvent,
): boolean {
  const isDeleted = event.type === 'NodeGroupDeletionRequested';
  const isRemoval = event.type === 'NodeRemovalAccepted';
  const { nodeIds = [] } = event.data as { readonly nodeIds?: readonly string[] };
  for (const nodeId of isDeleted ? (groups.get(idOf(event))?.members.keys() ?? []) : isRemoval ? nodeIds : []) {
    changes.in(clusterId)?.node(nodeId);
    pendingNodes.put(nodeId, clusterId);
  }
  return pendingNodes.sizeOf(clusterId) > 0;
}
