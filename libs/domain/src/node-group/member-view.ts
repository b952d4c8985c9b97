import { hasOutdatedMetadata } from '../node/group-requests.js';
import type { NodeState } from '../node/node-state.js';
import type { MemberView } from './group-facts.js';

/** For its group: it may be counted on, now or when it is rebuilt or restarted. */
const isReadyNode = ({ wasActive, removing, status }: NodeState): boolean =>
  wasActive && !removing && status !== 'FAILED' && status !== 'UNREACHABLE';

/** Counted as ready by clients: it may be counted on, and is not empty because it is torn down and built again. */
export const isNodeInService = (node: NodeState): boolean => isReadyNode(node) && !(node.rebuilding && node.drained);

/** It exists, and is being rebuilt or restarted. */
const isBusyNode = (node: NodeState): boolean =>
  isReadyNode(node) && (node.status === 'UPDATING' || node.status === 'REBOOTING');

/**
 * A node as its group sees it: whether it exists, is gone, failed permanently, or was lost on the infrastructure. `metadataGeneration`: which change of labels
 * and taints its group has; left out where that does not matter.
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
