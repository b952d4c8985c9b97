import { accept, type Decision } from '../kernel/decider.js';
import { truncate } from '../kernel/listing.js';
import { operationEnded } from '../kernel/operation.js';
import { decideReport, type ReportCommand } from '../task/decide-task.js';
import type { TaskCompleted, TaskFailed } from '../task/task-events.js';
import type { ClusterEvent } from './cluster-events.js';
import type { ClusterState, ClusterTaskKind } from './cluster-state.js';

/** Accepts a report of a conductor, together with the events that follow for the cluster. */
export function reportClusterTask(
  command: ReportCommand<ClusterTaskKind>,
  state: ClusterState,
): Decision<ClusterEvent> {
  const decision = decideReport(command, state.work);
  const event = decision.ok ? decision.events[0] : undefined;
  if (!event) return decision;
  if (event.type === 'TaskFailed' && !event.data.retryAt)
    return accept<ClusterEvent>(event, ...failedEvents(state, event.data));
  return event.type === 'TaskCompleted'
    ? accept<ClusterEvent>(event, ...completed(state, event.data))
    : accept<ClusterEvent>(event);
}

/** Ends an update. A rollout whose first step it was continues, unless it was cancelled. */
function completed(state: ClusterState, { kind }: TaskCompleted['data']): readonly ClusterEvent[] {
  if (kind === 'cluster.delete') return deleted(state, state.abandoned);
  const own = kind === 'cluster.update' ? ownOf(state) : undefined;
  if (!own) return [];
  const error = { code: 'cancelled', detail: 'no node was changed' };
  if (own.cancelled) return [operationEnded(own.id, 'CANCELLED', error)];
  return own.id === state.rollout?.operationId ? [] : [operationEnded(own.id, 'SUCCEEDED')];
}

const ownOf = ({ operations, work }: ClusterState): ClusterState['operations'][number] | undefined =>
  operations.find(o => o.id === work.wanted?.operationId);

function deleted(state: ClusterState, abandoned: ClusterState['abandoned']): readonly ClusterEvent[] {
  const ended = state.operations.map(o => operationEnded(o.id, o.deletes ? 'SUCCEEDED' : 'CANCELLED'));
  return [{ type: 'ClusterDeleted', data: abandoned.length > 0 ? { abandoned } : {} }, ...ended];
}

/**
 * Returns the events that follow when retries are exhausted. A failed update ends only its own operation; everything else ends every
 * operation of the cluster, except that a forced deletion abandons the shared infrastructure.
 */
function failedEvents(state: ClusterState, { kind, failure, message }: TaskFailed['data']): readonly ClusterEvent[] {
  const { created, operations } = state;
  if (kind === 'cluster.delete' && state.forced) {
    const { id, name } = created ?? { id: '', name: '' };
    return deleted(state, [...state.abandoned, { type: 'cluster', id, name, reason: truncate(message, 1_000) }]);
  }
  if (kind === 'cluster.update') {
    const own = ownOf(state);
    return own ? [operationEnded(own.id, 'FAILED', { code: failure, detail: message })] : [];
  }
  const detail = truncate(`the shared parts of the cluster could not be removed: ${message}`, 1_000);
  const error = kind === 'cluster.delete' ? { code: 'removal-failed', detail } : { code: failure, detail: message };
  return operations.map(o => operationEnded(o.id, 'FAILED', error));
}
