import { accept, refuse, type Decision } from '../kernel/decider.js';
import type { OperationCommand } from '../kernel/operation.js';
import { conflict, notFound, revisionMismatch } from '../kernel/refusal.js';
import type { ContainerEvent } from './container-events.js';
import type { ContainerState } from './container-state.js';

/** The kind of an operation that retries work and ends with it. */
export const CONTAINER_RETRY = 'container.retry';

/** Retries the work that failed permanently, as a new operation. */
export function retryContainer(
  state: ContainerState,
  { operation, ifMatch }: OperationCommand,
): Decision<ContainerEvent> {
  if (!state.declared || state.deleted) return refuse(notFound('the container'));
  if (ifMatch !== undefined && ifMatch !== state.revision) return refuse(revisionMismatch(ifMatch, state.revision));
  return state.work.wanted?.retriesExhausted
    ? accept({ type: 'ContainerTaskRetried', data: { operation: { ...operation, kind: CONTAINER_RETRY } } })
    : refuse(conflict('nothing-to-retry', 'the container has no failed work'));
}
