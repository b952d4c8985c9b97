import { accept, refuse, type Decision } from '../kernel/decider.js';
import { operationEnded, type Conditional, type OperationCommand, type OperationStart } from '../kernel/operation.js';
import { brokenRules, conflict, notFound, revisionMismatch, type Refusal } from '../kernel/refusal.js';
import type { ContainerDeclaration, ContainerEvent } from './container-events.js';
import type { ContainerState } from './container-state.js';
import { placementTargetProblems, type TargetNode } from './host-rules.js';

type Result = Decision<ContainerEvent>;

interface DeletionRequest extends Conditional {
  /** Of the request that caused it; may be another resource's. */
  readonly operationId: string;
  /** Only when the deletion is a request of its own. */
  readonly operation?: OperationStart;
  readonly reason: string;
}

/** Refused with every broken rule of {@link placementTargetProblems}; `node` is the one that `hostNode` names. */
export function createContainer(state: ContainerState, data: ContainerDeclaration, node?: TargetNode): Result {
  if (state.declared) return refuse(conflict('already-exists', 'the container exists'));
  const problems = placementTargetProblems(data, node);
  return problems.length > 0 ? refuse(brokenRules(problems)) : accept({ type: 'ContainerCreated', data });
}

function existing(state: ContainerState, ifMatch?: number): Refusal | undefined {
  if (!state.declared || state.deleted) return notFound('the container');
  return ifMatch !== undefined && ifMatch !== state.revision ? revisionMismatch(ifMatch, state.revision) : undefined;
}

/** Refused for what is not there, at another revision, or going. */
export const containerRefusal = (state: ContainerState, ifMatch?: number): Refusal | undefined =>
  existing(state, ifMatch) ??
  (state.deleting ? conflict('being-deleted', 'the container is being deleted') : undefined);

type ContainerAction = 'start' | 'stop' | 'restart';

/** Needs a container that exists somewhere and has no other work; one with exhausted retries may be started or restarted, that tries it again. */
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

/** What ends with the container: its deletion has succeeded, all else failed permanently. */
export function endOperations(state: ContainerState, own?: OperationStart): readonly ContainerEvent[] {
  const ended = state.operations.map(o => operationEnded(o.id, o.deletes ? 'SUCCEEDED' : 'CANCELLED'));
  return own ? [...ended, operationEnded(own.id, 'SUCCEEDED')] : ended;
}

/**
 * By an operator (`operation`) or because its cluster goes (asking again changes nothing then). What was never placed is gone at once;
 * a deletion whose task's retries are exhausted may be asked for again, that tries it again.
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

/** A creation under way is undone; other work is one step and cannot be stopped in between. */
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
