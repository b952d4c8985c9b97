import { accept, refuse, type Decision } from '../kernel/decider.js';
import { operationEnded, type OperationCommand, type OperationStart } from '../kernel/operation.js';
import { conflict, notFound, revisionMismatch } from '../kernel/refusal.js';
import type { ClusterCreated, ClusterEvent } from './cluster-events.js';
import { clusterRefusal, isBeingDeleted, pausedRefusal } from './cluster-refusals.js';
import type { ClusterState } from './cluster-state.js';

type Result = Decision<ClusterEvent>;

/** Creates a cluster with its first node groups as one event, which is appended with `no_stream`. */
export const createCluster = (data: ClusterCreated['data']): Result => accept({ type: 'ClusterCreated', data });

interface DeleteCluster extends OperationCommand {
  /** Explicitly abandons what cannot be removed. */
  readonly force?: boolean | undefined;
}

/** Deletes the cluster, whatever is under way. A deletion that failed permanently may be repeated; a running one may only be forced. */
export function deleteCluster(state: ClusterState, { operation, ifMatch, force = false }: DeleteCluster): Result {
  const again = state.deleting && (!isBeingDeleted(state) || (force && !state.forced));
  const refusal = clusterRefusal(again ? { ...state, deleting: false } : state, ifMatch);
  if (refusal) return refuse(refusal);
  return accept({ type: 'ClusterDeletionRequested', data: { operation, ...(force ? { force } : {}) } });
}

/**
 * Cancels an operation. A creation is undone; a rollout stops after the step under way. A deletion and an update of the shared
 * infrastructure cannot be cancelled.
 */
export function cancelClusterOperation(
  state: ClusterState,
  { operationId, deletion }: { readonly operationId: string; readonly deletion: OperationStart },
): Result {
  const operation = state.operations.find(o => o.id === operationId);
  if (!operation) return refuse(conflict('operation-ended', 'the operation has ended'));
  const requested: ClusterEvent = { type: 'OperationCancelRequested', data: { operationId } };
  if (operation.kind === 'cluster.create' && !state.deleting)
    return accept<ClusterEvent>(requested, { type: 'ClusterDeletionRequested', data: { operation: deletion } });
  if (state.rollout?.operationId !== operationId)
    return refuse(conflict('not-cancellable', `a ${operation.kind} cannot be cancelled`));
  return operation.cancelled ? accept() : accept<ClusterEvent>(requested, ...notBegun(state, operationId));
}

/** Ends a rollout at once whose first step no conductor has claimed. The update of the shared infrastructure still follows. */
function notBegun({ work }: ClusterState, operationId: string): readonly ClusterEvent[] {
  const waits = work.wanted?.operationId === operationId && work.claim === undefined;
  const error = { code: 'cancelled', detail: 'no node was changed' };
  return waits ? [operationEnded(operationId, 'CANCELLED', error)] : [];
}

/** Retries what failed permanently, as a new operation: work on the shared infrastructure, a rollout or the deletion. */
export function retryCluster(state: ClusterState, { operation, ifMatch }: OperationCommand): Result {
  if (!state.created || state.deleted) return refuse(notFound('the cluster'));
  if (ifMatch !== undefined && ifMatch !== state.revision) return refuse(revisionMismatch(ifMatch, state.revision));
  const refusal = pausedRefusal(state);
  if (refusal) return refuse(refusal);
  if (state.work.wanted?.retriesExhausted || state.failedRollout)
    return accept({ type: 'ClusterTaskRetried', data: { operation } });
  if (state.deleting && !isBeingDeleted(state))
    return accept({ type: 'ClusterDeletionRequested', data: { operation } });
  return refuse(conflict('nothing-to-retry', 'the cluster has no failed work'));
}
