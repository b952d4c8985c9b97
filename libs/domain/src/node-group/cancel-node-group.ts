import { accept, refuse, type Decision } from '../kernel/decider.js';
import { conflict } from '../kernel/refusal.js';
import type { NodeGroupEvent } from './node-group-events.js';
import type { GroupOperation, Member, NodeGroupState } from './node-group-state.js';

type Result = Decision<NodeGroupEvent>;

/**
 * Cancels an operation. A scale-out, a creation and a replacement are undone: their new nodes are removed. A rollout stops after the step
 * under way. Other operations cannot be cancelled.
 */
export function cancelNodeGroupOperation(state: NodeGroupState, operationId: string): Result {
  const operation = state.operations.find(o => o.id === operationId);
  if (!operation) return refuse(conflict('operation-ended', 'the operation has ended'));
  const requested: NodeGroupEvent = { type: 'OperationCancelRequested', data: { operationId } };
  if (state.deleting) return refuse(conflict('not-cancellable', 'the node group is being deleted'));
  if (operation.kind === 'node-group.create')
    return accept<NodeGroupEvent>(requested, { type: 'NodeGroupDeletionRequested', data: { operationId } });
  if (operation.nodeId !== undefined) return cancelReplacement(state, operation, requested);
  if (operation.countBefore !== undefined || operation.nodes !== undefined) return accept<NodeGroupEvent>(requested);
  return refuse(conflict('not-cancellable', `a ${operation.kind} cannot be cancelled`));
}

function cancelReplacement(
  { members, spec }: NodeGroupState,
  { id: operationId, nodeId = '', cancelled }: GroupOperation,
  requested: NodeGroupEvent,
): Result {
  const successors = [...members.values()].filter((m: Member) => m.replaces === nodeId && !m.leaving);
  const replaced = members.get(nodeId)?.leaving !== false || (successors.length === 0 && !cancelled);
  if (replaced || !spec) return refuse(conflict('not-cancellable', 'the successor has already replaced the node'));
  const nodeIds = successors.map(m => m.id);
  if (nodeIds.length === 0) return accept(requested);
  const data = { nodeIds, count: spec.count, reason: 'the replacement was cancelled', operationId };
  return accept<NodeGroupEvent>(requested, { type: 'NodeRemovalAccepted', data });
}
