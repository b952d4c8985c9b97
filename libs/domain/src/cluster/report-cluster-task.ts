import type { Decision } from '../kernel/decider.js';
import { truncate } from '../kernel/listing.js';
import { endOf, operationEnded } from '../kernel/operation.js';
import { reportTask, type ReportCommand } from '../task/decide-task.js';
import type { TaskEvents } from '../task/task-state.js';
import type { ClusterEvent } from './cluster-events.js';
import type { ClusterState, ClusterTaskKind } from './cluster-state.js';
import { clusterStream } from './evolve-cluster.js';
import { reconcileCluster, type ClusterReconcileInput } from './reconcile-cluster.js';

/**
 * Accepts a report of a conductor, together with the events that follow for the cluster. With the surroundings of the cluster its creation
 * ends in the same append, where it waits for nothing else; without them `reconcileCluster` returns these events later.
 */
export const reportClusterTask = (
  command: ReportCommand<ClusterTaskKind>,
  state: ClusterState,
  around?: () => ClusterReconcileInput,
): Decision<ClusterEvent> =>
  reportTask(command, state.work, (event): readonly ClusterEvent[] => {
    if (event.type === 'TaskFailed') return event.data.retryAt ? [] : failed(state, event.data);
    if (event.type !== 'TaskCompleted') return [];
    if (event.data.kind !== 'cluster.create') return completed(state, event.data);
    return around ? reconcileCluster(clusterStream.evolve(state, event, state.updatedAt), around()) : [];
  });

/** Ends an update, or an action on all nodes at once. A rollout whose first step it was continues, unless it was cancelled. */
function completed(state: ClusterState, { kind }: TaskEvents['TaskCompleted']): readonly ClusterEvent[] {
  if (kind === 'cluster.delete') return deleted(state, state.abandoned);
  const own = kind === 'cluster.create' ? undefined : ownOf(state);
  if (!own) return [];
  const error = { code: 'cancelled', detail: 'no node was changed' };
  if (own.cancelled) return [operationEnded(own.id, 'CANCELLED', error)];
  return own.id === state.rollout?.operationId ? [] : [operationEnded(own.id, 'SUCCEEDED')];
}

/** A version that could not take over the shared infrastructure does not become that of the cluster. */
function reverted(
  { upgradedFrom: version }: ClusterState,
  kind: TaskEvents['TaskFailed']['kind'],
): readonly ClusterEvent[] {
  const takesOver = kind === 'cluster.update' || kind === 'cluster.rebuild';
  return takesOver && version !== undefined ? [{ type: 'ClusterUpgradeReverted', data: { version } }] : [];
}

const ownOf = ({ operations, work }: ClusterState): ClusterState['operations'][number] | undefined =>
  operations.find(o => o.id === work.wanted?.operationId);

function deleted(state: ClusterState, abandoned: ClusterState['abandoned']): readonly ClusterEvent[] {
  const ended = state.operations.map(o => operationEnded(o.id, o.deletes ? 'SUCCEEDED' : 'CANCELLED'));
  return [{ type: 'ClusterDeleted', data: abandoned.length > 0 ? { abandoned } : {} }, ...ended];
}

/**
 * Returns the events that follow when retries are exhausted. A failed update, rebuild or reboot ends only its own operation; everything else ends every
 * operation of the cluster, except that a forced deletion abandons the shared infrastructure.
 */
function failed(
  state: ClusterState,
  { kind, failure, message, ...data }: TaskEvents['TaskFailed'],
): readonly ClusterEvent[] {
  const { created, operations } = state;
  const code = data.code ?? failure;
  if (kind === 'cluster.delete' && state.forced) {
    const { id, name } = created;
    return deleted(state, [...state.abandoned, { type: 'cluster', id, name, reason: truncate(message, 1_000) }]);
  }
  if (kind !== 'cluster.create' && kind !== 'cluster.delete')
    return [...reverted(state, kind), ...endOf(ownOf(state), 'FAILED', { code, detail: message })];
  const detail = truncate(`the shared parts of the cluster could not be removed: ${message}`, 1_000);
  const error = kind === 'cluster.delete' ? { code: 'removal-failed', detail } : { code, detail: message };
  return operations.map(o => operationEnded(o.id, 'FAILED', error));
}
