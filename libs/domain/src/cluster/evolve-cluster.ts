import { omitUndefined } from '../kernel/json.js';
import { cancelOperation, type OperationEnded, type OperationStart } from '../kernel/operation.js';
import { defineResourceStream, type EventHandlers } from '../kernel/stream-definition.js';
import {
  noWork,
  resetRetries,
  taskHandlers,
  withNextTask,
  withoutWanted,
  type TaskEvents,
} from '../task/task-state.js';
import type { ClusterCreated, ClusterEvent, ClusterEvents } from './cluster-events.js';
import {
  changedSpec,
  isActedOnAtOnce,
  updateFailure,
  type ClusterRollout,
  type ClusterState,
  type ClusterTaskKind,
} from './cluster-state.js';

type Handlers = EventHandlers<ClusterState, ClusterEvent>;

const withTask = (state: ClusterState, kind: ClusterTaskKind, operationId: string): ClusterState =>
  withNextTask(state, state.created.id, kind, operationId);

const withOperation = (s: ClusterState, { id, kind }: OperationStart): ClusterState => ({
  ...s,
  revision: s.revision + 1,
  operations: [...s.operations, { id, kind }],
});

/** The driver applies the changes at once, or after the build under way, which still uses the earlier specification. */
function withUpdate(
  s: ClusterState,
  { changes, needsDriver, operation }: ClusterEvents['ClusterUpdated'],
): ClusterState {
  const counted = operation ? withOperation(s, operation) : { ...s, revision: s.revision + 1 };
  const next: ClusterState = { ...counted, spec: changedSpec(s.spec, changes) };
  if (!needsDriver) return next;
  if (!s.built || isActedOnAtOnce(s))
    return { ...next, pendingUpdate: { operationId: operation?.id ?? s.pendingUpdate?.operationId ?? '' } };
  const { pendingUpdate: _same, ...rest } = next;
  return withTask(rest, 'cluster.update', operation?.id ?? s.work.wanted?.operationId ?? '');
}

/** The driver acts on all nodes at once: there is no rollout. */
const withActionAtOnce = (s: ClusterState, operation: OperationStart, kind: ClusterTaskKind): ClusterState => {
  const { failedRollout: _before, ...rest } = withOperation(s, operation);
  return withTask(rest, kind, operation.id);
};

function withRollout(
  s: ClusterState,
  operation: OperationStart,
  what: Omit<ClusterRollout, 'operationId'>,
): ClusterState {
  const { failedRollout: _before, ...rest } = withOperation(s, operation);
  const { id: operationId, planned, discardVolumes } = operation;
  return { ...rest, rollout: { operationId, ...what, ...omitUndefined({ planned, discardVolumes }) } };
}

const withRebuild = (
  s: ClusterState,
  operation: OperationStart,
  what: Omit<ClusterRollout, 'operationId'>,
): ClusterState => withTask(withRollout(s, operation, what), 'cluster.update', operation.id);

const withVersion = (s: ClusterState, driverVersion: string): ClusterState => ({
  ...s,
  spec: { ...s.spec, driverVersion },
  upgradedFrom: s.upgradedFrom ?? s.spec.driverVersion,
});

const withUpgrade = (s: ClusterState, { operation, version }: ClusterEvents['ClusterUpgradeRequested']): ClusterState =>
  withVersion(withRebuild(s, operation, { kind: 'upgrade', version }), version);

function withoutUpgrade(
  { upgradedFrom: _now, ...s }: ClusterState,
  { version: driverVersion }: ClusterEvents['ClusterUpgradeReverted'],
): ClusterState {
  return { ...s, spec: { ...s.spec, driverVersion } };
}

const resumed = (
  { planned: _plan, ...rollout }: ClusterRollout,
  { id: operationId, discardVolumes }: OperationStart,
): ClusterRollout => ({ ...rollout, operationId, ...omitUndefined({ discardVolumes }) });

function withRetry(state: ClusterState, operation: OperationStart | undefined): ClusterState {
  const { failedRollout, ...s } = state;
  const own = operation ? [{ id: operation.id, kind: operation.kind, deletes: s.deleting }] : [];
  const next: ClusterState = {
    ...s,
    ...(failedRollout && operation ? { rollout: resumed(failedRollout, operation) } : {}),
    operations: [...s.operations, ...own],
    work: resetRetries(s.work, operation?.id),
    status: s.deleting ? 'DELETING' : s.built ? s.status : 'CREATING',
  };
  const { version } = failedRollout ?? {};
  const isReverted = operation !== undefined && version !== undefined && version !== s.spec.driverVersion;
  return isReverted ? withVersion(withTask(next, 'cluster.update', operation.id), version) : next;
}

function withDeletion(s: ClusterState, { operation, force }: ClusterEvents['ClusterDeletionRequested']): ClusterState {
  const { statusReason: _reason, containersMissing: _missing, pendingUpdate: _after, ...kept } = s;
  const { rollout: _rollout, failedRollout: _failed, ...rest } = kept;
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

function taskCompleted(s: ClusterState, task: TaskEvents<ClusterTaskKind>['TaskCompleted']): ClusterState {
  if (task.kind === 'cluster.delete') return s;
  const isReboot = task.kind === 'cluster.softReboot' || task.kind === 'cluster.hardReboot';
  const endpoints = isReboot ? s.endpoints : task.result.endpoints;
  const { pendingUpdate, upgradedFrom, ...taken }: ClusterState = { ...s, built: true, endpoints };
  const exists: ClusterState = isReboot ? { ...taken, ...omitUndefined({ upgradedFrom }) } : taken;
  return pendingUpdate ? withTask(exists, 'cluster.update', pendingUpdate.operationId) : exists;
}

/** Applies the failure of a task. The update that waits for a build ends, since the next attempt builds with the current specification anyway. */
function taskFailed(s: ClusterState, { message, retryAt }: TaskEvents['TaskFailed']): ClusterState {
  const statusReason = updateFailure(s) ?? message;
  if (retryAt) return s.built && !s.deleting ? s : { ...s, statusReason };
  if (s.deleting) return { ...s, statusReason };
  if (s.built) return { ...s, statusReason, status: 'DEGRADED' };
  const { pendingUpdate: _after, ...rest } = s;
  return { ...rest, statusReason, status: 'FAILED' };
}

function ended(state: ClusterState, { operationId, status }: OperationEnded['data']): ClusterState {
  const s = { ...state, operations: state.operations.filter(o => o.id !== operationId) };
  if (s.rollout?.operationId !== operationId) return s;
  const { rollout, ...rest } = s;
  return status === 'FAILED' ? { ...rest, failedRollout: rollout } : rest;
}

/** Forgets the origins of the groups, whose own streams hold them by now. */
const withoutGroupOrigins = (created: ClusterCreated['data']): ClusterCreated['data'] => ({
  ...created,
  groups: created.groups.map(({ origins: _origins, source: _source, ...group }) => group),
});

/** The origins of the cluster's values stay in the history; those of its groups are needed until the groups are created. */
function newCluster({ origins: _origins, ...created }: ClusterCreated['data'], time: string): ClusterState {
  const { operation, spec } = created;
  const cluster: ClusterState = {
    created,
    spec,
    status: 'CREATING',
    built: false,
    endpoints: [],
    paused: false,
    deleting: false,
    forced: false,
    abandoned: [],
    emptied: false,
    deleted: false,
    generation: 0,
    revision: 0,
    work: noWork,
    operations: [],
    createdAt: time,
    updatedAt: time,
  };
  return withTask(withOperation(cluster, operation), 'cluster.create', operation.id);
}

const lifecycleHandlers = {
  ClusterBecameActive: ({ statusReason: _reason, containersMissing: _seen, ...s }) => ({
    ...s,
    created: withoutGroupOrigins(s.created),
    status: 'ACTIVE',
  }),
  ClusterDegraded: ({ containersMissing: _before, ...s }, { data: { reason: statusReason, containersMissing } }) => {
    const status = s.deleting ? 'DELETING' : 'DEGRADED';
    return { ...s, status, statusReason, ...omitUndefined({ containersMissing }) };
  },
  ClusterEmptied: (s, { data: { abandoned = [] } }) =>
    withTask({ ...s, emptied: true, abandoned }, 'cluster.delete', s.operations.at(-1)?.id ?? ''),
  ClusterDeleted: s => ({ ...s, deleted: true, work: {} }),
  OperationEnded: (s, { data }) => ended(s, data),
} satisfies Partial<Handlers>;

const requestHandlers = {
  ClusterUpdated: (s, { data }) => withUpdate(s, data),
  ClusterLossAccepted: s => ({ ...s, lossesAccepted: (s.lossesAccepted ?? 0) + 1, revision: s.revision + 1 }),
  ClusterPaused: s => ({ ...s, paused: true, revision: s.revision + 1 }),
  ClusterResumed: s => ({ ...s, paused: false, revision: s.revision + 1 }),
  ClusterRebuildRequested: (s, { data: { operation, atOnce } }) =>
    atOnce ? withActionAtOnce(s, operation, 'cluster.rebuild') : withRebuild(s, operation, { kind: 'rebuild' }),
  ClusterRebootRequested: (s, { data: { operation, type, atOnce } }) =>
    atOnce
      ? withActionAtOnce(s, operation, `cluster.${type}Reboot`)
      : withRollout(s, operation, { kind: 'reboot', type }),
  ClusterUpgradeRequested: (s, { data }) => withUpgrade(s, data),
  ClusterUpgradeReverted: (s, { data }) => withoutUpgrade(s, data),
  ClusterNodesRebuilt: s => withTask(s, 'cluster.update', s.work.wanted?.operationId ?? ''),
  ClusterDeletionRequested: (s, { data }) => withDeletion(s, data),
  ClusterTaskRetried: (s, { data }) => (s.work.wanted || s.failedRollout ? withRetry(s, data.operation) : s),
  OperationCancelRequested: cancelOperation,
} satisfies Partial<Handlers>;

export const clusterStream = defineResourceStream<ClusterState, ClusterEvent, 'ClusterCreated'>(
  'cluster',
  { ClusterCreated: newCluster },
  {
    ...lifecycleHandlers,
    ...requestHandlers,
    ...taskHandlers<ClusterState, ClusterTaskKind>({ failed: taskFailed, completed: taskCompleted }),
  },
);
