import type { OperationStart } from '../kernel/operation.js';
import type { StreamDefinition } from '../kernel/stream-definition.js';
import type { TaskCompleted, TaskFailed } from '../task/task-events.js';
import { evolveWork, resetRetries, wantTask } from '../task/task-state.js';
import type {
  ClusterCreated,
  ClusterDeletionRequested,
  ClusterEvent,
  ClusterUpdated,
  ClusterUpgradeRequested,
} from './cluster-events.js';
import {
  changedSpec,
  initialCluster,
  updateFailure,
  type ClusterRollout,
  type ClusterState,
  type ClusterTaskKind,
} from './cluster-state.js';

function withTask(state: ClusterState, kind: ClusterTaskKind, operationId: string): ClusterState {
  const generation = state.generation + 1;
  return { ...state, generation, work: wantTask(state.work, state.created?.id ?? '', kind, generation, operationId) };
}

const withOperation = (s: ClusterState, { id, kind }: OperationStart): ClusterState => ({
  ...s,
  revision: s.revision + 1,
  operations: [...s.operations, { id, kind }],
});

/** The driver is reported at once, or after what it builds now as it was asked for earlier. */
function updated(s: ClusterState, { changes, needsDriver, operation }: ClusterUpdated['data']): ClusterState {
  const spec = s.spec && changedSpec(s.spec, changes);
  const counted = operation ? withOperation(s, operation) : { ...s, revision: s.revision + 1 };
  const next: ClusterState = { ...counted, ...(spec ? { spec } : {}) };
  if (!needsDriver) return next;
  if (!s.built) return { ...next, pendingUpdate: { operationId: operation?.id ?? s.pendingUpdate?.operationId ?? '' } };
  return withTask(next, 'cluster.update', operation?.id ?? s.work.wanted?.operationId ?? '');
}

function rolling(s: ClusterState, operation: OperationStart, what: Omit<ClusterRollout, 'operationId'>): ClusterState {
  const { failedRollout: _before, ...rest } = withOperation(s, operation);
  const { id: operationId, planned } = operation;
  return { ...rest, rollout: { operationId, ...what, ...(planned ? { planned } : {}) } };
}

const rebuilding = (s: ClusterState, operation: OperationStart, kind: 'rebuild' | 'upgrade'): ClusterState =>
  withTask(rolling(s, operation, { kind }), 'cluster.update', operation.id);

function upgrading(s: ClusterState, { operation, version }: ClusterUpgradeRequested['data']): ClusterState {
  const next = rebuilding(s, operation, 'upgrade');
  return next.spec ? { ...next, spec: { ...next.spec, driverVersion: version } } : next;
}

const unplanned = ({ planned: _plan, ...rest }: ClusterRollout): ClusterRollout => rest;

function retried(state: ClusterState, operation: OperationStart | undefined): ClusterState {
  const { failedRollout, ...s } = state;
  const own = operation ? [{ id: operation.id, kind: operation.kind, deletes: s.deleting }] : [];
  const rollout =
    failedRollout && operation ? { rollout: { ...unplanned(failedRollout), operationId: operation.id } } : {};
  return {
    ...s,
    ...rollout,
    operations: [...s.operations, ...own],
    work: resetRetries(s.work, operation?.id),
    status: s.deleting ? 'DELETING' : s.built ? s.status : 'CREATING',
  };
}

function going(s: ClusterState, { operation, force }: ClusterDeletionRequested['data']): ClusterState {
  const { statusReason: _reason, rollout: _rollout, failedRollout: _failed, pendingUpdate: _after, ...rest } = s;
  const next: ClusterState = {
    ...rest,
    deleting: true,
    paused: false,
    forced: s.forced || force === true,
    status: 'DELETING',
    revision: s.revision + 1,
    operations: [...s.operations, { id: operation.id, kind: operation.kind, deletes: true }],
    work: s.work.claim ? { claim: s.work.claim } : {},
  };
  return s.emptied ? withTask(next, 'cluster.delete', operation.id) : next;
}

function completed(s: ClusterState, event: TaskCompleted<ClusterTaskKind>): ClusterState {
  const done = { ...s, work: evolveWork(s.work, event) };
  if (s.work.wanted?.taskId !== event.data.taskId || event.data.kind === 'cluster.delete') return done;
  const { pendingUpdate, ...exists }: ClusterState = {
    ...done,
    built: true,
    endpoints: event.data.result.endpoints,
  };
  return pendingUpdate ? withTask(exists, 'cluster.update', pendingUpdate.operationId) : exists;
}

/** A later attempt at building takes the specification as it is then. */
function failed(s: ClusterState, event: TaskFailed<ClusterTaskKind>): ClusterState {
  const next: ClusterState = { ...s, work: evolveWork(s.work, event) };
  const statusReason = updateFailure(next) ?? event.data.message;
  if (event.data.retryAt) return s.built && !s.deleting ? next : { ...next, statusReason };
  if (s.deleting) return { ...next, statusReason };
  const { pendingUpdate: _after, ...rest } = next;
  return { ...rest, statusReason, status: s.built ? 'DEGRADED' : 'FAILED' };
}

function ended(state: ClusterState, operationId: string, status: string): ClusterState {
  const s = { ...state, operations: state.operations.filter(o => o.id !== operationId) };
  if (s.rollout?.operationId !== operationId) return s;
  const { rollout, ...rest } = s;
  return status === 'FAILED' ? { ...rest, failedRollout: rollout } : rest;
}

/** Every group has its own stream by now, with where its values came from. */
const withGroupsMade = (created: ClusterCreated['data']): ClusterCreated['data'] => ({
  ...created,
  groups: created.groups.map(({ origins: _origins, source: _source, ...group }) => group),
});

function evolveCluster(state: ClusterState, event: ClusterEvent, time: string): ClusterState {
  const s: ClusterState = { ...state, updatedAt: time };
  switch (event.type) {
    case 'ClusterCreated': {
      // where its values came from is history; its groups are made with where theirs did
      const { origins: _origins, ...created } = event.data;
      const { operation, spec } = created;
      return withTask(
        { ...withOperation(s, operation), created, spec, createdAt: time },
        'cluster.create',
        operation.id,
      );
    }
    case 'ClusterUpdated':
      return updated(s, event.data);
    case 'ClusterPaused':
      return { ...s, paused: true, revision: s.revision + 1 };
    case 'ClusterResumed':
      return { ...s, paused: false, revision: s.revision + 1 };
    case 'ClusterRebuildRequested':
      return rebuilding(s, event.data.operation, 'rebuild');
    case 'ClusterRebootRequested':
      return rolling(s, event.data.operation, { kind: 'reboot', type: event.data.type });
    case 'ClusterUpgradeRequested':
      return upgrading(s, event.data);
    case 'ClusterNodesRebuilt':
      return withTask(s, 'cluster.update', s.work.wanted?.operationId ?? '');
    case 'ClusterBecameActive': {
      const { statusReason: _reason, created, ...rest } = s;
      return { ...rest, ...(created ? { created: withGroupsMade(created) } : {}), status: 'ACTIVE' };
    }
    case 'ClusterDegraded':
      return { ...s, status: s.deleting ? 'DELETING' : 'DEGRADED', statusReason: event.data.reason };
    case 'ClusterDeletionRequested':
      return going(s, event.data);
    case 'ClusterEmptied': {
      const empty: ClusterState = { ...s, emptied: true, abandoned: event.data.abandoned ?? [] };
      return withTask(empty, 'cluster.delete', s.operations.at(-1)?.id ?? '');
    }
    case 'ClusterDeleted':
      return { ...s, deleted: true, work: {} };
    case 'ClusterTaskRetried':
      return s.work.wanted || s.failedRollout ? retried(s, event.data.operation) : s;
    case 'OperationEnded':
      return ended(s, event.data.operationId, event.data.status);
    case 'OperationCancelRequested':
      return {
        ...s,
        operations: s.operations.map(o => (o.id === event.data.operationId ? { ...o, cancelled: true } : o)),
      };
    case 'TaskCompleted':
      return completed(s, event);
    case 'TaskFailed':
      return failed(s, event);
    default:
      return { ...s, work: evolveWork(s.work, event) };
  }
}

export const clusterStream: StreamDefinition<ClusterState, ClusterEvent> = {
  category: 'cluster',
  initial: initialCluster,
  evolve: evolveCluster,
};
