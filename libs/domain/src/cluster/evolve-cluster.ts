import { evolveByType, type EventHandlers } from '../kernel/event-handlers.js';
import { omitUndefined } from '../kernel/omit-undefined.js';
import { cancelOperation, type OperationEnded, type OperationStart } from '../kernel/operation.js';
import type { StreamDefinition } from '../kernel/stream-definition.js';
import type { TaskCompleted, TaskEvent, TaskFailed } from '../task/task-events.js';
import { evolveWork, resetRetries, wantTask, withoutWanted } from '../task/task-state.js';
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

/** The driver applies the changes at once, or after the build under way, which still uses the earlier specification. */
function withUpdate(s: ClusterState, { changes, needsDriver, operation }: ClusterUpdated['data']): ClusterState {
  const spec = s.spec && changedSpec(s.spec, changes);
  const counted = operation ? withOperation(s, operation) : { ...s, revision: s.revision + 1 };
  const next: ClusterState = { ...counted, ...omitUndefined({ spec }) };
  if (!needsDriver) return next;
  if (!s.built) return { ...next, pendingUpdate: { operationId: operation?.id ?? s.pendingUpdate?.operationId ?? '' } };
  return withTask(next, 'cluster.update', operation?.id ?? s.work.wanted?.operationId ?? '');
}

function withRollout(
  s: ClusterState,
  operation: OperationStart,
  what: Omit<ClusterRollout, 'operationId'>,
): ClusterState {
  const { failedRollout: _before, ...rest } = withOperation(s, operation);
  const { id: operationId, planned } = operation;
  return { ...rest, rollout: { operationId, ...what, ...omitUndefined({ planned }) } };
}

const withRebuild = (s: ClusterState, operation: OperationStart, kind: 'rebuild' | 'upgrade'): ClusterState =>
  withTask(withRollout(s, operation, { kind }), 'cluster.update', operation.id);

function withUpgrade(s: ClusterState, { operation, version }: ClusterUpgradeRequested['data']): ClusterState {
  const next = withRebuild(s, operation, 'upgrade');
  return next.spec ? { ...next, spec: { ...next.spec, driverVersion: version } } : next;
}

const unplanned = ({ planned: _plan, ...rest }: ClusterRollout): ClusterRollout => rest;

function withRetry(state: ClusterState, operation: OperationStart | undefined): ClusterState {
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

function withDeletion(s: ClusterState, { operation, force }: ClusterDeletionRequested['data']): ClusterState {
  const { statusReason: _reason, rollout: _rollout, failedRollout: _failed, pendingUpdate: _after, ...rest } = s;
  const next: ClusterState = {
    ...rest,
    deleting: true,
    paused: false,
    forced: s.forced || force === true,
    status: 'DELETING',
    revision: s.revision + 1,
    operations: [...s.operations, { id: operation.id, kind: operation.kind, deletes: true }],
    work: withoutWanted(s.work),
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

/** Forgets the pending update, since the next attempt builds with the current specification anyway. */
function failed(s: ClusterState, event: TaskFailed<ClusterTaskKind>): ClusterState {
  const next: ClusterState = { ...s, work: evolveWork(s.work, event) };
  const statusReason = updateFailure(next) ?? event.data.message;
  if (event.data.retryAt) return s.built && !s.deleting ? next : { ...next, statusReason };
  if (s.deleting) return { ...next, statusReason };
  const { pendingUpdate: _after, ...rest } = next;
  return { ...rest, statusReason, status: s.built ? 'DEGRADED' : 'FAILED' };
}

function ended(state: ClusterState, { operationId, status }: OperationEnded['data']): ClusterState {
  const s = { ...state, operations: state.operations.filter(o => o.id !== operationId) };
  if (s.rollout?.operationId !== operationId) return s;
  const { rollout, ...rest } = s;
  return status === 'FAILED' ? { ...rest, failedRollout: rollout } : rest;
}

/** Every group has its own stream by now, which holds the origins of its values. */
const withoutGroupOrigins = (created: ClusterCreated['data']): ClusterCreated['data'] => ({
  ...created,
  groups: created.groups.map(({ origins: _origins, source: _source, ...group }) => group),
});

type Handlers = EventHandlers<ClusterState, ClusterEvent>;

const withWork = (s: ClusterState, event: TaskEvent<ClusterTaskKind>): ClusterState => ({
  ...s,
  work: evolveWork(s.work, event),
});

const lifecycleHandlers = {
  // the origins of the cluster's values stay in the history; those of its groups are needed until the groups are created
  ClusterCreated: (s, { data: { origins: _origins, ...created } }, createdAt) => {
    const { operation, spec } = created;
    return withTask({ ...withOperation(s, operation), created, spec, createdAt }, 'cluster.create', operation.id);
  },
  ClusterBecameActive: s => {
    const { statusReason: _reason, created, ...rest } = s;
    return { ...rest, ...(created ? { created: withoutGroupOrigins(created) } : {}), status: 'ACTIVE' };
  },
  ClusterDegraded: (s, { data }) => ({
    ...s,
    status: s.deleting ? 'DELETING' : 'DEGRADED',
    statusReason: data.reason,
  }),
  ClusterEmptied: (s, { data: { abandoned = [] } }) =>
    withTask({ ...s, emptied: true, abandoned }, 'cluster.delete', s.operations.at(-1)?.id ?? ''),
  ClusterDeleted: s => ({ ...s, deleted: true, work: {} }),
  OperationEnded: (s, { data }) => ended(s, data),
} satisfies Partial<Handlers>;

const requestHandlers = {
  ClusterUpdated: (s, { data }) => withUpdate(s, data),
  ClusterPaused: s => ({ ...s, paused: true, revision: s.revision + 1 }),
  ClusterResumed: s => ({ ...s, paused: false, revision: s.revision + 1 }),
  ClusterRebuildRequested: (s, { data }) => withRebuild(s, data.operation, 'rebuild'),
  ClusterRebootRequested: (s, { data: { operation, type } }) => withRollout(s, operation, { kind: 'reboot', type }),
  ClusterUpgradeRequested: (s, { data }) => withUpgrade(s, data),
  ClusterNodesRebuilt: s => withTask(s, 'cluster.update', s.work.wanted?.operationId ?? ''),
  ClusterDeletionRequested: (s, { data }) => withDeletion(s, data),
  ClusterTaskRetried: (s, { data }) => (s.work.wanted || s.failedRollout ? withRetry(s, data.operation) : s),
  OperationCancelRequested: cancelOperation,
} satisfies Partial<Handlers>;

const taskHandlers: EventHandlers<ClusterState, TaskEvent<ClusterTaskKind>> = {
  TaskClaimed: withWork,
  TaskProgressed: withWork,
  TaskReleased: withWork,
  TaskCompleted: completed,
  TaskFailed: failed,
};

export const clusterStream: StreamDefinition<ClusterState, ClusterEvent> = {
  category: 'cluster',
  initial: initialCluster,
  evolve: evolveByType<ClusterState, ClusterEvent>({ ...lifecycleHandlers, ...requestHandlers, ...taskHandlers }),
};
