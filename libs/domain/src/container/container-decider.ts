import { accept, refuse, type Decision } from '../kernel/decider.js';
import { operationEnded, type Conditional, type OperationCommand, type OperationStart } from '../kernel/operation.js';
import { brokenRules, conflict, notFound, revisionMismatch, type Refusal } from '../kernel/refusal.js';
import type { ContainerDeclaration, ContainerEvent } from './container-events.js';
import type { ContainerState } from './container-state.js';
import { placementTargetProblems, type TargetNode } from './host-rules.js';

type Result = Decision<ContainerEvent>;

interface DeletionRequest extends Conditional {
  /** The operation of the request that caused the deletion; it may belong to another resource. */
  readonly operationId: string;
  /** Present when the deletion was requested for the container itself. */
  readonly operation?: OperationStart;
  readonly reason: string;
}

/** Creates a container, or refuses with every broken rule of {@link placementTargetProblems}; `hostNode` names `node`. */
export function createContainer(state: ContainerState, data: ContainerDeclaration, node?: TargetNode): Result {
  if (state.declared) return refuse(conflict('already-exists', 'the container exists'));
  const problems = placementTargetProblems(data, node);
  return problems.length > 0 ? refuse(brokenRules(problems)) : accept({ type: 'ContainerCreated', data });
}

function existing(state: ContainerState, ifMatch?: number): Refusal | undefined {
  if (!state.declared || state.deleted) return notFound('the container');
  return ifMatch !== undefined && ifMatch !== state.revision ? revisionMismatch(ifMatch, state.revision) : undefined;
}

/** Refuses a container that does not exist, has another revision, or is being deleted. */
export const containerRefusal = (state: ContainerState, ifMatch?: number): Refusal | undefined =>
  existing(state, ifMatch) ??
  (state.deleting ? conflict('being-deleted', 'the container is being deleted') : undefined);

type ContainerAction = 'start' | 'stop' | 'restart';

/** Starts, stops or restarts a placed container without other work. A start or restart also retries work whose retries are exhausted. */
export function actOnContainer(
  state: ContainerState,
  { action, operation, ifMatch }: OperationCommand & { readonly action: ContainerAction },
): Result {
  const refusal = containerRefusal(state, ifMatch);
  if (refusal) return refuse(refusal);
  if (state.nodeId === undefined || state.evictionReason !== undefined)
    return refuse(conflict('not-placed', 'the container is not placed on a node'));
  const { wanted } = state.work;
  const retry = wanted?.retriesExhausted === true && action !== 'stop';
  if (state.work.claim || (wanted && !retry))
    return refuse(conflict('busy', `the container is ${state.status}; wait for that or cancel it`));
  switch (action) {
    case 'start':
      return accept({ type: 'ContainerStartRequested', data: { operation } });
    case 'stop':
      return accept({ type: 'ContainerStopRequested', data: { operation } });
    case 'restart':
      return accept({ type: 'ContainerRestartRequested', data: { operation } });
  }
}

/** Ends the operations of a deleted container: its deletion succeeded, every other one failed. */
export function endOperations(state: ContainerState, own?: OperationStart): readonly ContainerEvent[] {
  const ended = state.operations.map(o => operationEnded(o.id, o.deletes ? 'SUCCEEDED' : 'CANCELLED'));
  return own ? [...ended, operationEnded(own.id, 'SUCCEEDED')] : ended;
}

/**
 * Deletes the container, for an operator (`operation`) or with its cluster; a repeated request of the system has no effect. A container
 * without a node is deleted at once. Repeating a deletion whose retries are exhausted retries it.
 */
export function deleteContainer(state: ContainerState, { ifMatch, ...request }: DeletionRequest): Result {
  const { operation } = request;
  const refusal = existing(state, ifMatch);
  if (refusal) return operation ? refuse(refusal) : accept();
  if (state.deleting && !(operation && state.work.wanted?.retriesExhausted))
    return operation ? refuse(conflict('being-deleted', 'the container is being deleted')) : accept();
  const requested: ContainerEvent = { type: 'ContainerDeletionRequested', data: request };
  if (state.nodeId !== undefined) return accept(requested);
  const clusterId = state.declared?.clusterId ?? '';
  return accept<ContainerEvent>(
    requested,
    { type: 'ContainerDeleted', data: { clusterId } },
    ...endOperations(state, operation),
  );
}

/** Cancels a creation, which is undone. Other work is a single step and cannot be cancelled. */
export function cancelContainerOperation(state: ContainerState, operationId: string): Result {
  const operation = state.operations.find(o => o.id === operationId);
  if (!operation) return refuse(conflict('operation-ended', 'the operation has ended'));
  if (operation.cancelled) return accept();
  if (operation.kind !== 'container.create' || state.deleting)
    return refuse(conflict('not-cancellable', `${operation.kind} cannot be cancelled`));
  const undone = deleteContainer(state, { operationId, reason: 'cancelled' });
  return undone.ok
    ? accept<ContainerEvent>({ type: 'OperationCancelRequested', data: { operationId } }, ...undone.events)
    : undone;
}
