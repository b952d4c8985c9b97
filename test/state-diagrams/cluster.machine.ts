import {
  clusterStream,
  createCluster,
  deleteCluster,
  pauseCluster,
  rebootCluster,
  rebuildCluster,
  reconcileCluster,
  reportClusterTask,
  retryCluster,
  shownStatus,
  updateCluster,
  type ClusterState,
  type GroupView,
} from '@stave/domain';
import type { Machine } from './explore.js';
import { claimOf, reportSteps, workKey } from './task.machine.js';

const begin = (kind: string) => ({ id: `op-${kind}`, kind: `cluster.${kind}`, total: 1 });
const spec = {
  driver: 'fake',
  driverVersion: '1.0.0',
  conductorGroup: '',
  network: {},
  api: {},
  labels: {},
  defaults: {},
  options: {},
};
const cluster = { id: 'c', name: 'web', projectId: 'p', spec, groups: [], operation: begin('create') };

const reconcile = (group: Partial<GroupView>) => (state: ClusterState) => {
  const { operationId = '' } = state.rollout ?? {};
  const rollout = { operationId, status: group.failed ? 'failed' : 'completed' } as const;
  const view: GroupView = { name: 'g', status: 'ACTIVE', failed: false, deleted: false, rollout, ...group };
  const isRemoved = view.deleted;
  const around = { group: () => view, groups: [view], groupsRemoved: isRemoved, containersRemoved: isRemoved };
  return { ok: true, events: reconcileCluster(state, around) } as const;
};

export const clusterMachine: Machine<ClusterState> = {
  title: 'Cluster',
  text: '`UPDATING` is an active cluster with an open operation; `PAUSED` hides the status that the cluster has when it is resumed.',
  stream: clusterStream,
  creation: createCluster(cluster),
  statusOf: state => (state.deleted ? '[*]' : shownStatus(state)),
  keyOf: ({ status, built, paused, deleting, deleted, emptied, rollout, failedRollout, ...s }) => [
    [status, built, paused, deleting, deleted, emptied, rollout?.kind, failedRollout?.kind],
    [s.operations.map(o => o.kind).slice(0, 2), workKey(s.work), s.pendingUpdate !== undefined],
  ],
  steps: [
    state => claimOf(state.work),
    ...reportSteps((state: ClusterState) => state.work, reportClusterTask),
    reconcile({}),
    reconcile({ status: 'DEGRADED', reason: 'r' }),
    reconcile({ status: 'DEGRADED', reason: 'r', failed: true, operationId: 'op-delete' }),
    reconcile({ deleted: true }),
    state => updateCluster(state, { network: { cidr: `10.${state.revision}.0.0/16` } }, { operation: begin('update') }),
    state => pauseCluster(state, { paused: true }),
    state => pauseCluster(state, { paused: false }),
    state => rebuildCluster(state, { operation: begin('rebuild') }),
    state => rebootCluster(state, { operation: begin('reboot'), type: 'soft' }),
    state => retryCluster(state, { operation: begin('retry') }),
    state => deleteCluster(state, { operation: begin('delete') }),
  ],
};
