import { accept, refuse, type Decision } from '../kernel/decider.js';
import type { OperationCommand } from '../kernel/operation.js';
import { conflict, notFound, revisionMismatch } from '../kernel/refusal.js';
import type { ContainerEvent } from './container-events.js';
import type { ContainerState } from './container-state.js';

/** What an operation is called that tries something again; it ends with that. */
export const CONTAINER_RETRY = 'container.retry';

/** Tries what failed permanently again, whatever it was, as an operation of its own. */
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
