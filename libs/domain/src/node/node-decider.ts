import { accept, refuse, type Decision } from '../kernel/decider.js';
import { operationEnded, type OperationEnded, type OperationStart } from '../kernel/operation.js';
import { conflict, notFound, revisionMoved, type Refusal } from '../kernel/refusal.js';
import { decideReport, type ReportCommand } from '../task/decide-task.js';
import type { NodeDeclaration, NodeEvent } from './node-events.js';
import type { NodeState } from './node-state.js';

/** It must not exist yet: its stream is appended with `no_stream`. */
export const declareNode = (declaration: NodeDeclaration): Decision<NodeEvent> =>
  accept({ type: 'NodeDeclared', data: declaration });

function changeable(state: NodeState, ifMatch?: number): Refusal | undefined {
  if (!state.declared || state.deleted) return notFound('the node');
  if (ifMatch !== undefined && ifMatch !== state.revision) return revisionMoved(ifMatch, state.revision);
  if (state.removing) return conflict('being-deleted', 'the node is being removed');
  return undefined;
}

function idle(state: NodeState, ifMatch?: number): Refusal | undefined {
  const refusal = changeable(state, ifMatch);
  if (refusal) return refusal;
  return state.operation || state.work.wanted
    ? conflict('busy', `the node is ${state.status}; wait for that or cancel it`)
    : undefined;
}

export function cordonNode(state: NodeState, cordon: boolean, ifMatch?: number): Decision<NodeEvent> {
  const refusal = changeable(state, ifMatch);
  if (refusal) return refuse(refusal);
  if (state.schedulable !== cordon) return accept();
  return accept(cordon ? { type: 'NodeCordoned', data: {} } : { type: 'NodeUncordoned', data: {} });
}

export function drainNode(
  state: NodeState,
  operation: OperationStart,
  deadline?: string,
  ifMatch?: number,
): Decision<NodeEvent> {
  const refusal = idle(state, ifMatch);
  return refusal
    ? refuse(refusal)
    : accept({ type: 'NodeDrainRequested', data: { operation, ...(deadline ? { deadline } : {}) } });
}

export function rebuildNode(state: NodeState, operation: OperationStart, ifMatch?: number): Decision<NodeEvent> {
  const refusal =
    changeable(state, ifMatch) ?? (state.work.claim ? conflict('busy', `the node is ${state.status}`) : undefined);
  return refusal
    ? refuse(refusal)
    : accept<NodeEvent>(...ownCancelled(state), { type: 'NodeRebuildRequested', data: { operation } });
}

export function rebootNode(
  state: NodeState,
  operation: OperationStart,
  type: 'soft' | 'hard',
  ifMatch?: number,
): Decision<NodeEvent> {
  const refusal =
    idle(state, ifMatch) ?? (state.wasActive ? undefined : conflict('not-active', 'the node was never built'));
  return refusal ? refuse(refusal) : accept({ type: 'NodeRebootRequested', data: { operation, type } });
}

/** What the node did for a person ends when something else takes its place. */
const ownCancelled = ({ operation, removing }: NodeState): readonly OperationEnded[] =>
  operation && !removing ? [operationEnded(operation.id, 'CANCELLED')] : [];

/**
 * The group gave it up (removal, scale-in, replacement, deletion of the cluster). Asking again changes nothing. What no conductor
 * has ever claimed has no infrastructure and is gone at once.
 */
export function removeNode(state: NodeState, reason: string, operationId: string): Decision<NodeEvent> {
  if (!state.declared) return refuse(notFound('the node'));
  if (state.removing || state.deleted) return accept();
  const untouched = !state.wasActive && state.attempts === 0 && !state.work.claim;
  return accept<NodeEvent>(
    ...ownCancelled(state),
    { type: 'NodeRemovalRequested', data: { reason, operationId } },
    ...(untouched ? [{ type: 'NodeDeleted' as const, data: { nodeGroupId: state.declared.nodeGroupId } }] : []),
  );
}

/** The scheduler says that no container is left on it. */
export function nodeDrained(state: NodeState): Decision<NodeEvent> {
  if (state.deleted || state.drained || !(state.removing || state.status === 'DRAINING')) return accept();
  const own = !state.removing && state.operation ? [operationEnded(state.operation.id, 'SUCCEEDED')] : [];
  return accept<NodeEvent>({ type: 'NodeDrained', data: {} }, ...own);
}

export function retryNodeTask(state: NodeState): Decision<NodeEvent> {
  return state.work.wanted?.parked
    ? accept({ type: 'NodeTaskRetried', data: {} })
    : refuse(conflict('nothing-parked', 'the node has no parked task'));
}

/** A report, and in the same append what it means for the node and for the operation that is its own. */
export function reportNodeTask(command: ReportCommand, state: NodeState): Decision<NodeEvent> {
  const decision = decideReport(command, state.work);
  const event = decision.ok ? decision.events[0] : undefined;
  const nodeGroupId = state.declared?.nodeGroupId;
  if (!decision.ok || !event || nodeGroupId === undefined) return decision;
  const own = state.operation && !state.removing ? state.operation : undefined;
  if (event.type === 'TaskFailed' && !event.data.retryAt && own) {
    return accept<NodeEvent>(
      event,
      operationEnded(own.id, 'FAILED', { code: event.data.failure, detail: event.data.message }),
    );
  }
  if (event.type !== 'TaskCompleted') return accept<NodeEvent>(event);
  if (event.data.kind === 'node.delete')
    return accept<NodeEvent>(event, { type: 'NodeDeleted', data: { nodeGroupId } });
  return accept<NodeEvent>(
    event,
    { type: 'NodeBecameActive', data: { nodeGroupId } },
    ...(own ? [operationEnded(own.id, 'SUCCEEDED')] : []),
  );
}
