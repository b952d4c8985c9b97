import type { NodeState } from '../node/node-state.js';
import type { MemberView } from './group-facts.js';

/** It stands and may be counted on. */
export const isReadyNode = ({ wasActive, removing, status }: NodeState): boolean =>
  wasActive && !removing && status !== 'FAILED' && status !== 'UNREACHABLE';

/** A node as its group sees it: whether it stands, is gone, was given up, or was lost on the infrastructure. */
export function memberView(node: NodeState): MemberView {
  const { work, status, statusReason = '', removing, removalOf = '' } = node;
  const view = { ready: isReadyNode(node), deleted: node.deleted };
  const error = work.wanted?.parked ? work.wanted.lastError : undefined;
  if (removing) return error ? { ...view, stuck: { operationId: removalOf, reason: error.message } } : view;
  if (error) return { ...view, failed: { class: error.failure, reason: error.message } };
  return status === 'UNREACHABLE' ? { ...view, failed: { class: 'unreachable', reason: statusReason } } : view;
}
