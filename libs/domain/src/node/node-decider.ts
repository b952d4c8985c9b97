import { accept, acceptUnless, conflict, existenceRefusal, operationEndedRefusal, refuse } from '../kernel/decider.js';
import type { Decision, Refusal } from '../kernel/decider.js';
import { omitUndefined } from '../kernel/json.js';
import { endOf, operationEnded, type Conditional, type OperationCommand } from '../kernel/operation.js';
import { reportTask, type ReportCommand } from '../task/decide-task.js';
import { retryRefusal } from '../task/task-state.js';
import type { NodeDeclaration, NodeEvent } from './node-events.js';
import { nodeEvictionReason, type NodeState, type NodeTaskKind } from './node-state.js';

type Result = Decision<NodeEvent>;

/** Declares a node. The event is appended with `no_stream`. */
export const declareNode = (declaration: NodeDeclaration): Result =>
  accept({ type: 'NodeDeclared', data: declaration });

const changeable = (state: NodeState, ifMatch?: number): Refusal | undefined =>
  existenceRefusal('the node', state, ifMatch) ??
  (state.removing ? conflict('being-deleted', 'the node is being removed') : undefined);

const busy = ({ status }: NodeState): Refusal => conflict('busy', `the node is ${status}; wait for that or cancel it`);

function idle(state: NodeState, ifMatch?: number): Refusal | undefined {
  const { wanted } = state.work;
  const isHook = wanted?.kind === 'node.undrain' || wanted?.kind === 'node.update';
  const isBusy = state.operation !== undefined || state.rebuilding !== undefined || (wanted && !isHook);
  return (
    changeable(state, ifMatch) ??
    (isBusy ? busy(state) : state.wasActive ? undefined : conflict('not-active', 'the node was never built'))
  );
}

export function cordonNode(state: NodeState, { cordon, ifMatch }: Conditional & { readonly cordon: boolean }): Result {
  const refusal = changeable(state, ifMatch);
  if (refusal) return refuse(refusal);
  if ((state.rebuilding?.uncordonAfter ?? state.schedulable) !== cordon) return accept();
  if (cordon) return accept({ type: 'NodeCordoned', data: {} });
  const ended = state.status === 'DRAINING' ? ownCancelled(state) : [];
  return accept<NodeEvent>(...ended, { type: 'NodeUncordoned', data: {} });
}

export const drainNode = (
  state: NodeState,
  { operation, deadline, ifMatch }: OperationCommand & { readonly deadline?: string | undefined },
): Result =>
  acceptUnless(idle(state, ifMatch), {
    type: 'NodeDrainRequested',
    data: { operation, ...(deadline ? { deadline } : {}) },
  });

export function rebuildNode(state: NodeState, { operation, ifMatch }: OperationCommand): Result {
  const claimed = state.work.claim ? conflict('busy', `the node is ${state.status}`) : undefined;
  const requested: NodeEvent = { type: 'NodeRebuildRequested', data: { operation } };
  return acceptUnless(changeable(state, ifMatch) ?? claimed, ...ownCancelled(state), requested);
}

export const rebootNode = (
  state: NodeState,
  { operation, type, ifMatch }: OperationCommand & { readonly type: 'soft' | 'hard' },
): Result => acceptUnless(idle(state, ifMatch), { type: 'NodeRebootRequested', data: { operation, type } });

const RETRY = 'node.retry';

/** Returns the operation that was requested for this node and not for its group. */
const ownOperation = ({ operation, removing }: NodeState): NodeState['operation'] =>
  operation && (!removing || operation.kind === RETRY) ? operation : undefined;

const ownCancelled = (state: NodeState): readonly NodeEvent[] => endOf(ownOperation(state), 'CANCELLED');

interface RemovalCommand {
  readonly reason: string;
  readonly operationId: string;
  readonly isEmpty?: boolean;
  /** The seconds that its containers have to stop; default: what they ask for. */
  readonly graceSeconds?: number;
}

/**
 * Removes the node for its group (removal, scale-in, replacement, deletion of the cluster). A repeated request changes nothing, unless the
 * removal failed permanently and another operation requests it: then it is retried. A node that no conductor ever claimed has no
 * infrastructure and is deleted at once. `isEmpty`: the cluster is being deleted and has no containers.
 */
export function removeNode(
  state: NodeState,
  { reason, operationId, isEmpty = false, graceSeconds }: RemovalCommand,
): Result {
  if (state.deleted) return accept();
  if (state.removing)
    return removalFor(state, operationId) === 'failed for another operation'
      ? accept({ type: 'NodeTaskRetried', data: { operationId } })
      : accept();
  const grace = omitUndefined({ graceSeconds });
  const untouched = !state.wasActive && state.attempts === 0 && !state.work.claim;
  return accept<NodeEvent>(
    ...ownCancelled(state),
    { type: 'NodeRemovalRequested', data: { reason, operationId, ...(isEmpty && { drained: true }), ...grace } },
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
export const blockNode = (state: NodeState, detail: string): Result =>
  accept(
    ...endOf(isCreationBlocked(state) ? state.operation : undefined, 'FAILED', { code: 'cluster-failed', detail }),
  );

/** Records that the scheduler has evicted every container. A drain ends when the driver has done its part, too. */
export function nodeDrained(state: NodeState): Result {
  const eviction = nodeEvictionReason(state);
  if (state.drained || eviction === undefined) return accept();
  const isOver = eviction === 'drained' && state.work.wanted?.kind !== 'node.drain';
  return accept<NodeEvent>(
    { type: 'NodeDrained', data: {} },
    ...endOf(isOver ? state.operation : undefined, 'SUCCEEDED'),
  );
}

const stopDrain = (state: NodeState, code: string, reason: string): Result =>
  accept<NodeEvent>(
    { type: 'NodeDrainStopped', data: { reason } },
    ...endOf(state.operation, 'FAILED', { code, detail: reason }),
  );

/** Fails a drain whose deadline has passed (both times ISO 8601 in UTC). The node stays cordoned and keeps the containers that are left. */
export function failOverdueDrain(state: NodeState, now: string): Result {
  const { status, drainDeadline, drained } = state;
  if (status !== 'DRAINING' || drainDeadline === undefined || now < drainDeadline) return accept();
  if (drained) return stopDrain(state, 'deadline', `not drained by ${drainDeadline}: the driver had not done its part`);
  const left = state.evictionDelay ?? 'containers were left';
  return stopDrain(state, 'containers-left', `not drained by ${drainDeadline}: ${left}`);
}

/** Notes that containers wait for the budgets of their sets before they leave the node; once for each reason. */
export const delayEviction = (state: NodeState, reason: string): Result =>
  nodeEvictionReason(state) === undefined || state.evictionDelay === reason
    ? accept()
    : accept({ type: 'NodeEvictionDelayed', data: { reason } });

/** Fails a drain because the scheduler cannot remove the containers that are left. The node stays cordoned. */
export const failDrain = (state: NodeState, reason: string): Result =>
  nodeEvictionReason(state) === 'drained' ? stopDrain(state, 'containers-left', reason) : accept();

/** Cancels a drain; nothing else can be cancelled. The node stays cordoned, and containers that have left do not return. */
export function cancelNodeOperation(state: NodeState, operationId: string): Result {
  if (state.operation?.id !== operationId) return refuse(operationEndedRefusal());
  if (state.status !== 'DRAINING')
    return refuse(conflict('not-cancellable', `a ${state.operation.kind} cannot be cancelled`));
  const stopped: NodeEvent = { type: 'NodeDrainStopped', data: { reason: 'the drain was cancelled' } };
  return accept<NodeEvent>(stopped, operationEnded(operationId, 'CANCELLED'));
}

/** Retries work that failed permanently, as a new operation. */
export const retryNodeTask = (state: NodeState, { operation, ifMatch }: OperationCommand): Result =>
  acceptUnless<NodeEvent>(
    existenceRefusal('the node', state, ifMatch) ?? retryRefusal('the node', state.work),
    ...ownCancelled(state),
    { type: 'NodeTaskRetried', data: { operation: { ...operation, kind: RETRY } } },
  );

/** Accepts a report of a conductor, together with the events that follow for the node and its operation. */
export const reportNodeTask = (command: ReportCommand<NodeTaskKind>, state: NodeState): Result =>
  reportTask(command, state.work, ({ type, data }): readonly NodeEvent[] => {
    const { nodeGroupId } = state.declared;
    const own = ownOperation(state);
    if (type === 'TaskFailed' && !data.retryAt && data.kind !== 'node.update')
      return endOf(own, 'FAILED', { code: data.code ?? data.failure, detail: data.message });
    if (type !== 'TaskCompleted' || data.kind === 'node.undrain' || data.kind === 'node.update') return [];
    if (data.kind === 'node.drain') return state.drained ? endOf(own, 'SUCCEEDED') : [];
    const reached = data.kind === 'node.delete' ? 'NodeDeleted' : 'NodeBecameActive';
    return [{ type: reached, data: { nodeGroupId } }, ...endOf(own, 'SUCCEEDED')];
  });
