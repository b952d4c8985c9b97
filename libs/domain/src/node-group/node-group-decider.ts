import { hasCondition } from '../kernel/condition.js';
import { accept, refuse, type Decision } from '../kernel/decider.js';
import type { Conditional, OperationCommand, OperationStart } from '../kernel/operation.js';
import { brokenRules, conflict, notFound, revisionMismatch, type Refusal } from '../kernel/refusal.js';
import { nodeGroupRefusal, nodesBusyRefusal } from './group-refusals.js';
import type { MemberDeclaration, NodeGroupDeclaration, NodeGroupEvent } from './node-group-events.js';
import type { NodeGroupSpec } from './node-group-spec.js';
import type { NodeGroupState } from './node-group-state.js';
import { fullUpdateStrategy } from './update-strategy.js';
import { spreadOverZones } from './zone-spread.js';

type Result = Decision<NodeGroupEvent>;

/** Creates a node group. Reconciliation adds its first nodes. The event is appended with `no_stream`. */
export function createNodeGroup(declaration: NodeGroupDeclaration): Result {
  const updateStrategy = fullUpdateStrategy(declaration.spec.updateStrategy);
  return accept({ type: 'NodeGroupCreated', data: { ...declaration, spec: { ...declaration.spec, updateStrategy } } });
}

function countProblem(spec: NodeGroupSpec, count: number, pointer: string): Refusal | undefined {
  if (count < spec.minCount) return conflict('below-min-count', `the node group must keep ${spec.minCount} nodes`);
  if (spec.maxCount !== undefined && count > spec.maxCount)
    return brokenRules([
      { pointer, code: 'above-max-count', detail: `the node group may have ${spec.maxCount} nodes at most` },
    ]);
  return undefined;
}

export function resizeNodeGroup(
  state: NodeGroupState,
  { count, operation, ifMatch }: OperationCommand & { readonly count: number },
): Result {
  const refusal = nodeGroupRefusal(state, ifMatch);
  if (refusal || !state.spec) return refuse(refusal ?? notFound('the node group'));
  const problem = countProblem(state.spec, count, '/count');
  return problem ? refuse(problem) : accept({ type: 'NodeGroupResized', data: { count, operation } });
}

interface RemoveMember {
  readonly nodeId: string;
  readonly operation: OperationStart;
  /** Lowers the minimum count where the removal would go below it. */
  readonly lowerMin?: boolean;
  /** Deletes the node even if its infrastructure cannot be removed. */
  readonly force?: boolean | undefined;
}

/** Removes a node of the group. A removal that failed may be requested again. */
export function removeMember(
  state: NodeGroupState,
  { nodeId, operation, lowerMin = false, force = false }: RemoveMember,
): Result {
  const refusal = nodeGroupRefusal(state);
  if (refusal || !state.spec) return refuse(refusal ?? notFound('the node group'));
  const member = state.members.get(nodeId);
  if (!member) return refuse(notFound('the node'));
  if (member.leaving) return removeAgain(state, nodeId, operation, force);
  const count = Math.max(0, state.spec.count - 1);
  if (count < state.spec.minCount && !lowerMin)
    return refuse(
      conflict('below-min-count', `the node group must keep ${state.spec.minCount} nodes; lowerMin=true lowers that`),
    );
  const minCount = count < state.spec.minCount ? { minCount: count } : {};
  return accept({
    type: 'NodeRemovalAccepted',
    data: {
      nodeIds: [nodeId],
      count,
      ...minCount,
      reason: 'removed',
      operationId: operation.id,
      operation,
      ...(force ? { force } : {}),
    },
  });
}

/** Returns why a deletion is refused. A forced deletion is accepted at any time, once. */
function removeAgain(state: NodeGroupState, nodeId: string, operation: OperationStart, force: boolean): Result {
  const { operations, spec, members } = state;
  const failed = hasCondition(state, 'Failed') && operations.length === 0;
  const forces = force && !members.get(nodeId)?.forced;
  if (!spec || !(failed || forces)) return refuse(conflict('being-deleted', 'the node is being removed'));
  const by = { reason: 'removed', operationId: operation.id, operation, ...(force ? { force } : {}) };
  const data = { nodeIds: [nodeId], count: spec.count, ...by };
  return accept({ type: 'NodeRemovalAccepted', data });
}

interface ReplaceMember {
  readonly nodeId: string;
  readonly successorId: string;
  readonly operation: OperationStart;
}

export function replaceMember(state: NodeGroupState, { nodeId, successorId, operation }: ReplaceMember): Result {
  const refusal = nodeGroupRefusal(state);
  if (refusal || !state.spec) return refuse(refusal ?? notFound('the node group'));
  const member = state.members.get(nodeId);
  if (!member) return refuse(notFound('the node'));
  const rolling = nodesBusyRefusal(state);
  if (rolling) return refuse(rolling);
  const busy = member.leaving || [...state.members.values()].some(m => m.replaces === nodeId);
  if (busy) return refuse(conflict('being-replaced', 'the node is being removed or replaced already'));
  const others = [...state.members.values()].filter(m => !m.leaving && m.id !== nodeId);
  const [fresh] = spreadOverZones(state.spec.zones, others, [successorId], state.nextOrdinal);
  const successor: MemberDeclaration = {
    ...(fresh ?? { id: successorId, ordinal: state.nextOrdinal }),
    replaces: nodeId,
  };
  return accept({ type: 'NodeReplacementAccepted', data: { nodeId, successor, operation } });
}

interface DeleteNodeGroup extends Conditional {
  readonly operationId: string;
  /** Absent when the cluster deletes its groups. */
  readonly operation?: OperationStart;
  /** Explicitly abandons what cannot be removed. */
  readonly force?: boolean | undefined;
}

/** Deletes the group. A repeated request changes nothing, unless the deletion failed: then it is retried. */
export function deleteNodeGroup(
  state: NodeGroupState,
  { operationId, operation, ifMatch, force = false }: DeleteNodeGroup,
): Result {
  if (!state.declared || state.deleted) return operation ? refuse(notFound('the node group')) : accept();
  if (ifMatch !== undefined && ifMatch !== state.revision) return refuse(revisionMismatch(ifMatch, state.revision));
  const again = hasCondition(state, 'Failed') && operationId !== '' && operationId !== state.lastOperationId;
  const forces = force && !state.forced;
  if (state.deleting && !again && !forces)
    return operation ? refuse(conflict('being-deleted', 'the node group is being deleted')) : accept();
  return accept({
    type: 'NodeGroupDeletionRequested',
    data: { operationId, ...(operation ? { operation } : {}), ...(force ? { force } : {}) },
  });
}
