import { hasOutdatedMetadata } from '../node/group-requests.js';
import type { NodeState } from '../node/node-state.js';
import type { MemberView } from './group-facts.js';

/** Returns whether the node counts as ready for its group, also while it is rebuilt or rebooted. */
const isReadyNode = ({ wasActive, removing, status }: NodeState): boolean =>
  wasActive && !removing && status !== 'FAILED' && status !== 'UNREACHABLE';

/** Returns whether clients see the node as ready: it counts as ready for its group and is not being rebuilt. */
export const isNodeInService = (node: NodeState): boolean => isReadyNode(node) && !(node.rebuilding && node.drained);

/** Returns whether the node exists and is being rebuilt or rebooted. */
const isBusyNode = (node: NodeState): boolean =>
  isReadyNode(node) && (node.status === 'UPDATING' || node.status === 'REBOOTING');

/**
 * Returns the node as its group sees it: ready, deleted, failed permanently or lost on the infrastructure. `metadataGeneration` is the
 * change of labels and taints that the group has; it is omitted where that does not matter.
 */
export function memberView(node: NodeState, metadataGeneration?: number): MemberView {
  const {
    work,
    status,
    statusReason = '',
    removing,
    removalOperationId = '',
    rollout,
    metadataUpdateFailure,
    abandoned,
    planned,
  } = node;
  const view: MemberView = {
    ready: isReadyNode(node),
    deleted: node.deleted,
    ...(isBusyNode(node) ? { busy: true } : {}),
    ...(rollout?.done ? { completedRolloutId: rollout.id } : {}),
    ...(metadataGeneration !== undefined && hasOutdatedMetadata(node, metadataGeneration)
      ? { hasOutdatedMetadata: true }
      : {}),
    ...(metadataUpdateFailure ? { metadataUpdateFailure } : {}),
    ...(abandoned === undefined ? {} : { abandoned }),
  };
  const error = work.wanted?.retriesExhausted ? work.wanted.lastError : undefined;
  if (removing)
    return error ? { ...view, removalFailure: { operationId: removalOperationId, reason: error.message } } : view;
  const plan = planned ? { planned } : {};
  if (error) return { ...view, failed: { class: error.failure, reason: error.message, ...plan } };
  return status === 'UNREACHABLE' ? { ...view, failed: { class: 'unreachable', reason: statusReason, ...plan } } : view;
}
