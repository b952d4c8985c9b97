import { isDeepStrictEqual } from 'node:util';
import { accept, refuse, type Decision } from '../kernel/decider.js';
import { labelProblems } from '../kernel/merge-labels.js';
import { cut } from '../kernel/listing.js';
import { operationEnded, type OperationStart } from '../kernel/operation.js';
import { brokenRules, conflict, notFound, revisionMoved, type Problem, type Refusal } from '../kernel/refusal.js';
import { decideReport, type ReportCommand } from '../task/decide-task.js';
import type { TaskFailed } from '../task/task-events.js';
import type { ClusterChanges, ClusterCreated, ClusterEvent } from './cluster-events.js';
import { changedSpec, type ClusterState } from './cluster-state.js';

type Result = Decision<ClusterEvent>;

/** The whole request is one fact. Appended with `no_stream`. */
export const createCluster = (data: ClusterCreated['data']): Result => accept({ type: 'ClusterCreated', data });

function usable(state: ClusterState, ifMatch?: number): Refusal | undefined {
  if (!state.created || state.deleted) return notFound('the cluster');
  if (ifMatch !== undefined && ifMatch !== state.revision) return revisionMoved(ifMatch, state.revision);
  return state.deleting ? conflict('being-deleted', 'the cluster is being deleted') : undefined;
}

/** A patch may leave a default flavor that is not whole. */
function flavorProblems(flavor: object | undefined): readonly Problem[] {
  const missing = ['cpus', 'memoryMb'].filter(member => flavor && !(member in flavor));
  return missing.map(member => ({
    pointer: `/defaults/flavor/${member}`,
    code: 'required',
    detail: `a flavor needs ${member}`,
  }));
}

/** Refused with everything that the result must not be. What changes nothing is no event. */
export function updateCluster(state: ClusterState, changes: ClusterChanges, ifMatch?: number): Result {
  const refusal = usable(state, ifMatch);
  if (refusal || !state.spec) return refuse(refusal ?? notFound('the cluster'));
  const problems = [...labelProblems(changes.labels), ...flavorProblems(changes.defaults?.flavor)];
  if (problems.length > 0) return refuse(brokenRules(problems));
  const same = isDeepStrictEqual(changedSpec(state.spec, changes), state.spec);
  return same ? accept() : accept({ type: 'ClusterUpdated', data: { changes } });
}

/** Why nothing new can be begun in it; undefined when that can be. */
export function refusesWork(state: ClusterState): Refusal | undefined {
  const detail = 'the cluster could not be built; retry or delete it';
  return usable(state) ?? (state.status === 'FAILED' ? conflict('cluster-failed', detail) : undefined);
}

/** Why none of its nodes can be built now: it was given up itself. */
export const blockedBy = ({ status, statusReason = '' }: ClusterState): string | undefined =>
  status === 'FAILED' ? cut(`the cluster could not be built: ${statusReason}`) : undefined;

const isBeingDeleted = ({ operations }: ClusterState): boolean => operations.some(o => o.deletes);

/** A deletion that was given up may be asked for again. */
export function deleteCluster(state: ClusterState, operation: OperationStart, ifMatch?: number): Result {
  const again = state.deleting && !state.deleted && !isBeingDeleted(state);
  const refusal = usable(again ? { ...state, deleting: false } : state, ifMatch);
  return refusal ? refuse(refusal) : accept({ type: 'ClusterDeletionRequested', data: { operation } });
}

/** What is being created is removed again; a deletion cannot be cancelled. */
export function cancelClusterOperation(state: ClusterState, operationId: string, deletion: OperationStart): Result {
  const operation = state.operations.find(o => o.id === operationId);
  if (!operation) return refuse(conflict('operation-ended', 'the operation has ended'));
  if (operation.kind !== 'cluster.create' || state.deleting)
    return refuse(conflict('not-cancellable', `a ${operation.kind} cannot be cancelled`));
  return accept<ClusterEvent>(
    { type: 'OperationCancelRequested', data: { operationId } },
    { type: 'ClusterDeletionRequested', data: { operation: deletion } },
  );
}

/** A report, and in the same append what it means for the cluster. */
export function reportClusterTask(command: ReportCommand, state: ClusterState): Result {
  const decision = decideReport(command, state.work);
  const event = decision.ok ? decision.events[0] : undefined;
  if (!event) return decision;
  if (event.type === 'TaskFailed' && !event.data.retryAt) {
    const error = failureOf(event.data);
    return accept<ClusterEvent>(event, ...state.operations.map(o => operationEnded(o.id, 'FAILED', error)));
  }
  if (event.type !== 'TaskCompleted' || event.data.kind !== 'cluster.delete') return accept<ClusterEvent>(event);
  const ended = state.operations.map(o => operationEnded(o.id, o.deletes ? 'SUCCEEDED' : 'CANCELLED'));
  return accept<ClusterEvent>(event, { type: 'ClusterDeleted', data: {} }, ...ended);
}

function failureOf({ kind, failure, message }: TaskFailed['data']): { code: string; detail: string } {
  if (kind !== 'cluster.delete') return { code: failure, detail: message };
  return {
    code: 'removal-failed',
    detail: cut(`the shared parts of the cluster could not be removed: ${message}`, 1_000),
  };
}

/** Tries what was given up again, as an operation of its own: its shared parts, or the removal of what is in it. */
export function retryCluster(state: ClusterState, operation: OperationStart, ifMatch?: number): Result {
  if (!state.created || state.deleted) return refuse(notFound('the cluster'));
  if (ifMatch !== undefined && ifMatch !== state.revision) return refuse(revisionMoved(ifMatch, state.revision));
  if (state.work.wanted?.parked) return accept({ type: 'ClusterTaskRetried', data: { operation } });
  if (state.deleting && !isBeingDeleted(state))
    return accept({ type: 'ClusterDeletionRequested', data: { operation } });
  return refuse(conflict('nothing-parked', 'the cluster has no work that was given up'));
}
