import { accept, refuse, type Decision } from '../kernel/decider.js';
import { operationEnded, type Conditional, type OperationCommand, type OperationEnded } from '../kernel/operation.js';
import { conflict, notFound, revisionMismatch, type Refusal } from '../kernel/refusal.js';
import { decideReport, type ReportCommand } from '../task/decide-task.js';
import type { NodeDeclaration, NodeEvent } from './node-events.js';
import { nodeEvictionReason, type NodeState, type NodeTaskKind } from './node-state.js';

/** Declares a node. The event is appended with `no_stream`. */
export const declareNode = (declaration: NodeDeclaration): Decision<NodeEvent> =>
  accept({ type: 'NodeDeclared', data: declaration });

function changeable(state: NodeState, ifMatch?: number): Refusal | undefined {
  if (!state.declared || state.deleted) return notFound('the node');
  if (ifMatch !== undefined && ifMatch !== state.revision) return revisionMismatch(ifMatch, state.revision);
  if (state.removing) return conflict('being-deleted', 'the node is being removed');
  return undefined;
}

function idle(state: NodeState, ifMatch?: number): Refusal | undefined {
  const refusal = changeable(state, ifMatch);
  if (refusal) return refusal;
  const { wanted } = state.work;
  const hook = wanted?.kind === 'node.undrain' || wanted?.kind === 'node.update';
  return state.operation || state.rebuilding || (wanted && !hook)
    ? conflict('busy', `the node is ${state.status}; wait for that or cancel it`)
    : undefined;
}

const built = ({ wasActive }: NodeState): Refusal | undefined =>
  wasActive ? undefined : conflict('not-active', 'the node was never built');

export function cordonNode(
  state: NodeState,
  { cordon, ifMatch }: Conditional & { readonly cordon: boolean },
): Decision<NodeEvent> {
  const refusal = changeable(state, ifMatch);
  if (refusal) return refuse(refusal);
  if ((state.rebuilding?.uncordonAfter ?? state.schedulable) !== cordon) return accept();
  if (cordon) return accept({ type: 'NodeCordoned', data: {} });
  const ended = state.status === 'DRAINING' ? ownCancelled(state) : [];
  return accept<NodeEvent>(...ended, { type: 'NodeUncordoned', data: {} });
}

export function drainNode(
  state: NodeState,
  { operation, deadline, ifMatch }: OperationCommand & { readonly deadline?: string | undefined },
): Decision<NodeEvent> {
  const refusal = idle(state, ifMatch) ?? built(state);
  return refusal
    ? refuse(refusal)
    : accept({ type: 'NodeDrainRequested', data: { operation, ...(deadline ? { deadline } : {}) } });
}

export function rebuildNode(state: NodeState, { operation, ifMatch }: OperationCommand): Decision<NodeEvent> {
  const refusal =
    changeable(state, ifMatch) ?? (state.work.claim ? conflict('busy', `the node is ${state.status}`) : undefined);
  return refusal
    ? refuse(refusal)
    : accept<NodeEvent>(...ownCancelled(state), { type: 'NodeRebuildRequested', data: { operation } });
}

export function rebootNode(
  state: NodeState,
  { operation, type, ifMatch }: OperationCommand & { readonly type: 'soft' | 'hard' },
): Decision<NodeEvent> {
  const refusal = idle(state, ifMatch) ?? built(state);
  return refusal ? refuse(refusal) : accept({ type: 'NodeRebootRequested', data: { operation, type } });
}

const RETRY = 'node.retry';

/** Returns the operation that was requested for this node and not for its group. */
const ownOperation = ({ operation, removing }: NodeState): NodeState['operation'] =>
  operation && (!removing || operation.kind === RETRY) ? operation : undefined;

/** Ends the operation of the node when other work supersedes it. */
function ownCancelled(state: NodeState): readonly OperationEnded[] {
  const own = ownOperation(state);
  return own ? [operationEnded(own.id, 'CANCELLED')] : [];
}

/**
 * Removes the node for its group (removal, scale-in, replacement, deletion of the cluster). A repeated request changes nothing, unless the
 * removal failed permanently and another operation requests it: then it is retried. A node that no conductor ever claimed has no
 * infrastructure and is deleted at once.
 */
export function removeNode(
  state: NodeState,
  { reason, operationId }: { readonly reason: string; readonly operationId: string },
): Decision<NodeEvent> {
  if (!state.declared) return refuse(notFound('the node'));
  if (state.deleted) return accept();
  if (state.removing)
    return removalFor(state, operationId) === 'failed for another operation'
      ? accept({ type: 'NodeTaskRetried', data: { operationId } })
      : accept();
  const untouched = !state.wasActive && state.attempts === 0 && !state.work.claim;
  return accept<NodeEvent>(
    ...ownCancelled(state),
    { type: 'NodeRemovalRequested', data: { reason, operationId } },
    ...(untouched ? [{ type: 'NodeDeleted' as const, data: { nodeGroupId: state.declared.nodeGroupId } }] : []),
  );
}

/** Returns the state of the removal that this operation requested. */
export function removalFor(
  state: NodeState,
  operationId: string,
): 'none' | 'in progress' | 'failed' | 'failed for another operation' {
  if (!state.removing) return 'none';
  if (!state.work.wanted?.retriesExhausted) return 'in progress';
  return state.removalOperationId === operationId ? 'failed' : 'failed for another operation';
}

/** Returns whether an operation waits for the build of the node, which cannot continue while the cluster has failed. */
export const isCreationBlocked = (state: NodeState): boolean =>
  ownOperation(state) !== undefined && !state.wasActive && !state.removing;

/** Ends the operation of a node that cannot be built because its cluster has failed. */
export function blockNode(state: NodeState, detail: string): Decision<NodeEvent> {
  const own = isCreationBlocked(state) ? state.operation : undefined;
  return own ? accept<NodeEvent>(operationEnded(own.id, 'FAILED', { code: 'cluster-failed', detail })) : accept();
}

/** Records that the scheduler has evicted every container. A drain ends when the driver has done its part, too. */
export function nodeDrained(state: NodeState): Decision<NodeEvent> {
  if (state.drained || nodeEvictionReason(state) === undefined) return accept();
  const over = nodeEvictionReason(state) === 'drained' && state.work.wanted?.kind !== 'node.drain';
  const own = over && state.operation ? [operationEnded(state.operation.id, 'SUCCEEDED')] : [];
  return accept<NodeEvent>({ type: 'NodeDrained', data: {} }, ...own);
}

/** Fails a drain whose deadline has passed (both times ISO 8601 in UTC). The node stays cordoned and keeps the containers that are left. */
export function failOverdueDrain(state: NodeState, now: string): Decision<NodeEvent> {
  const { status, drainDeadline, operation, drained } = state;
  if (status !== 'DRAINING' || drainDeadline === undefined || now < drainDeadline) return accept();
  const what = drained ? 'the driver had not done its part' : 'containers were left';
  const reason = `not drained by ${drainDeadline}: ${what}`;
  const ended = operation ? [operationEnded(operation.id, 'FAILED', { code: 'deadline', detail: reason })] : [];
  return accept<NodeEvent>({ type: 'NodeDrainStopped', data: { reason } }, ...ended);
}

/** Fails a drain because the scheduler cannot remove the containers that are left. The node stays cordoned. */
export function failDrain(state: NodeState, reason: string): Decision<NodeEvent> {
  if (nodeEvictionReason(state) !== 'drained') return accept();
  const error = { code: 'containers-left', detail: reason };
  const ended = state.operation ? [operationEnded(state.operation.id, 'FAILED', error)] : [];
  return accept<NodeEvent>({ type: 'NodeDrainStopped', data: { reason } }, ...ended);
}

/** Cancels a drain; nothing else can be cancelled. The node stays cordoned, and containers that have left do not return. */
export function cancelNodeOperation(state: NodeState, operationId: string): Decision<NodeEvent> {
  if (state.operation?.id !== operationId) return refuse(conflict('operation-ended', 'the operation has ended'));
  if (state.status !== 'DRAINING')
    return refuse(conflict('not-cancellable', `a ${state.operation.kind} cannot be cancelled`));
  const stopped: NodeEvent = { type: 'NodeDrainStopped', data: { reason: 'the drain was cancelled' } };
  return accept<NodeEvent>(stopped, operationEnded(operationId, 'CANCELLED'));
}

/** Retries work that failed permanently, as a new operation. */
export function retryNodeTask(state: NodeState, { operation, ifMatch }: OperationCommand): Decision<NodeEvent> {
  if (!state.declared || state.deleted) return refuse(notFound('the node'));
  if (ifMatch !== undefined && ifMatch !== state.revision) return refuse(revisionMismatch(ifMatch, state.revision));
  return state.work.wanted?.retriesExhausted
    ? accept<NodeEvent>(...ownCancelled(state), {
        type: 'NodeTaskRetried',
        data: { operation: { ...operation, kind: RETRY } },
      })
    : refuse(conflict('nothing-to-retry', 'the node has no failed work'));
}

/** Accepts a report of a conductor, together with the events that follow for the node and its operation. */
export function reportNodeTask(command: ReportCommand<NodeTaskKind>, state: NodeState): Decision<NodeEvent> {
  const decision = decideReport(command, state.work);
  const event = decision.ok ? decision.events[0] : undefined;
  const nodeGroupId = state.declared?.nodeGroupId;
  if (!decision.ok || !event || nodeGroupId === undefined) return decision;
  const own = ownOperation(state);
  const inPlace = event.type === 'TaskFailed' && event.data.kind === 'node.update';
  if (event.type === 'TaskFailed' && !event.data.retryAt && own && !inPlace) {
    return accept<NodeEvent>(
      event,
      operationEnded(own.id, 'FAILED', { code: event.data.failure, detail: event.data.message }),
    );
  }
  if (event.type !== 'TaskCompleted') return accept<NodeEvent>(event);
  if (event.data.kind === 'node.delete')
    return accept<NodeEvent>(
      event,
      { type: 'NodeDeleted', data: { nodeGroupId } },
      ...(own ? [operationEnded(own.id, 'SUCCEEDED')] : []),
    );
  const stays = event.data.kind === 'node.undrain' || event.data.kind === 'node.update';
  if (stays || (event.data.kind === 'node.drain' && !state.drained)) return accept<NodeEvent>(event);
  const exists: NodeEvent[] =
    event.data.kind === 'node.drain' ? [] : [{ type: 'NodeBecameActive', data: { nodeGroupId } }];
  return accept<NodeEvent>(event, ...exists, ...(own ? [operationEnded(own.id, 'SUCCEEDED')] : []));
}
