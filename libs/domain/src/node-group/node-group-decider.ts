import { isDeepStrictEqual } from 'node:util';
import { accept, refuse, type Decision } from '../kernel/decider.js';
import { labelProblems } from '../kernel/merge-labels.js';
import type { OperationStart } from '../kernel/operation.js';
import { brokenRules, conflict, notFound, revisionMoved, type Problem, type Refusal } from '../kernel/refusal.js';
import type { MemberDeclaration, NodeGroupChanges, NodeGroupDeclaration, NodeGroupEvent } from './node-group-events.js';
import { changedGroupSpec, type NodeGroupState } from './node-group-state.js';
import type { NodeGroupSpec } from './node-group-spec.js';
import { fullUpdateStrategy } from './update-strategy.js';
import { spreadOverZones } from './zone-spread.js';

type Result = Decision<NodeGroupEvent>;

/** Creates it; its first nodes follow from its count by reconciliation. Appended with `no_stream`. */
export function createNodeGroup(declaration: NodeGroupDeclaration): Result {
  const updateStrategy = fullUpdateStrategy(declaration.spec.updateStrategy);
  return accept({ type: 'NodeGroupCreated', data: { ...declaration, spec: { ...declaration.spec, updateStrategy } } });
}

function usable(state: NodeGroupState, ifMatch?: number): Refusal | undefined {
  if (!state.declared || state.deleted) return notFound('the node group');
  if (ifMatch !== undefined && ifMatch !== state.revision) return revisionMoved(ifMatch, state.revision);
  return state.deleting ? conflict('being-deleted', 'the node group is being deleted') : undefined;
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
  count: number,
  operation: OperationStart,
  ifMatch?: number,
): Result {
  const refusal = usable(state, ifMatch);
  if (refusal || !state.spec) return refuse(refusal ?? notFound('the node group'));
  const problem = countProblem(state.spec, count, '/count');
  return problem ? refuse(problem) : accept({ type: 'NodeGroupResized', data: { count, operation } });
}

/** Refused with every bound and limit that would not hold. What changes nothing is no event. */
export function updateNodeGroup(state: NodeGroupState, changes: NodeGroupChanges, ifMatch?: number): Result {
  const refusal = usable(state, ifMatch);
  if (refusal || !state.spec) return refuse(refusal ?? notFound('the node group'));
  const next = changedGroupSpec(state.spec, changes);
  const problems = [...boundProblems(next), ...labelProblems(changes.labels)];
  if (problems.length > 0) return refuse(brokenRules(problems));
  return isDeepStrictEqual(next, state.spec) ? accept() : accept({ type: 'NodeGroupUpdated', data: { changes } });
}

function boundProblems({ count, minCount, maxCount = Infinity }: NodeGroupSpec): readonly Problem[] {
  const detail = `the node group has ${count} nodes; resize it first`;
  const problems: Problem[] = [];
  if (minCount > maxCount)
    problems.push({ pointer: '/minCount', code: 'min-above-max', detail: 'minCount is above maxCount' });
  if (count < minCount) problems.push({ pointer: '/minCount', code: 'count-below-min', detail });
  if (count > maxCount) problems.push({ pointer: '/maxCount', code: 'count-above-max', detail });
  return problems;
}

/** A removal that was given up may be asked for again. */
export function removeMember(
  state: NodeGroupState,
  nodeId: string,
  operation: OperationStart,
  lowerMin: boolean,
): Result {
  const refusal = usable(state);
  if (refusal || !state.spec) return refuse(refusal ?? notFound('the node group'));
  const member = state.members.get(nodeId);
  if (!member) return refuse(notFound('the node'));
  if (member.leaving) return removeAgain(state, nodeId, operation);
  const count = Math.max(0, state.spec.count - 1);
  if (count < state.spec.minCount && !lowerMin)
    return refuse(
      conflict('below-min-count', `the node group must keep ${state.spec.minCount} nodes; lowerMin=true lowers that`),
    );
  const minCount = count < state.spec.minCount ? { minCount: count } : {};
  return accept({
    type: 'NodeRemovalAccepted',
    data: { nodeIds: [nodeId], count, ...minCount, reason: 'removed', operationId: operation.id, operation },
  });
}

function removeAgain({ gaveUp, operations, spec }: NodeGroupState, nodeId: string, operation: OperationStart): Result {
  if (!gaveUp || operations.length > 0 || !spec) return refuse(conflict('being-deleted', 'the node is being removed'));
  const data = { nodeIds: [nodeId], count: spec.count, reason: 'removed', operationId: operation.id, operation };
  return accept({ type: 'NodeRemovalAccepted', data });
}

export function replaceMember(
  state: NodeGroupState,
  nodeId: string,
  freshId: string,
  operation: OperationStart,
): Result {
  const refusal = usable(state);
  if (refusal || !state.spec) return refuse(refusal ?? notFound('the node group'));
  const member = state.members.get(nodeId);
  if (!member) return refuse(notFound('the node'));
  const busy = member.leaving || [...state.members.values()].some(m => m.replaces === nodeId);
  if (busy) return refuse(conflict('being-replaced', 'the node is being removed or replaced already'));
  const others = [...state.members.values()].filter(m => !m.leaving && m.id !== nodeId);
  const [fresh] = spreadOverZones(state.spec.zones, others, [freshId], state.nextOrdinal);
  const successor: MemberDeclaration = { ...(fresh ?? { id: freshId, ordinal: state.nextOrdinal }), replaces: nodeId };
  return accept({ type: 'NodeReplacementAccepted', data: { nodeId, successor, operation } });
}

/** By a person (`operation`) or because its cluster goes. Asking again changes nothing, unless it was given up: then it is tried again. */
export function deleteNodeGroup(
  state: NodeGroupState,
  operationId: string,
  operation?: OperationStart,
  ifMatch?: number,
): Result {
  if (!state.declared || state.deleted) return operation ? refuse(notFound('the node group')) : accept();
  if (ifMatch !== undefined && ifMatch !== state.revision) return refuse(revisionMoved(ifMatch, state.revision));
  const again = state.gaveUp && operationId !== '' && operationId !== state.lastOperationId;
  if (state.deleting && !again)
    return operation ? refuse(conflict('being-deleted', 'the node group is being deleted')) : accept();
  return accept({ type: 'NodeGroupDeletionRequested', data: { operationId, ...(operation ? { operation } : {}) } });
}

/** A growth goes back to the count before it, what was being created is removed again; nothing else can be cancelled. */
export function cancelNodeGroupOperation(state: NodeGroupState, operationId: string): Result {
  const operation = state.operations.find(o => o.id === operationId);
  if (!operation) return refuse(conflict('operation-ended', 'the operation has ended'));
  const requested: NodeGroupEvent = { type: 'OperationCancelRequested', data: { operationId } };
  if (operation.kind === 'node-group.resize') return accept<NodeGroupEvent>(requested);
  if (operation.kind === 'node-group.create' && !state.deleting)
    return accept<NodeGroupEvent>(requested, { type: 'NodeGroupDeletionRequested', data: { operationId } });
  return refuse(conflict('not-cancellable', `a ${operation.kind} cannot be cancelled`));
}
