import { AT } from '../kernel/given.fixture.js';
import type { ClusterState } from './cluster-state.js';
import { create, stateAfter } from './cluster-states.fixture.js';
import { clusterStream } from './evolve-cluster.js';
import { reconcileCluster, type ClusterReconcileInput, type GroupView } from './reconcile-cluster.js';

const operation = { id: 'op', kind: 'cluster.create', total: 1 };
const base: ClusterState = { ...stateAfter(create), built: true, work: {}, operations: [operation] };
const around = (group?: Partial<GroupView>, over: Partial<ClusterReconcileInput> = {}): ClusterReconcileInput => {
  const view = group && { name: 'web', status: 'ACTIVE', failed: false, deleted: false, ...group };
  return { group: () => view, groups: view ? [view] : [], groupsRemoved: false, containersRemoved: false, ...over };
};
const types = (state: ClusterState, a: ClusterReconcileInput): string[] => reconcileCluster(state, a).map(e => e.type);
const after = (state: ClusterState, a: ClusterReconcileInput): ClusterState =>
  reconcileCluster(state, a).reduce((s, e) => clusterStream.evolve(s, e, AT), state);

it('a cluster waits for its shared infrastructure and for each of its first groups', () => {
  expect(types({ ...base, built: false }, around({}))).toEqual([]);
  expect(types(base, around())).toEqual([]);
  expect(types(base, around({ status: 'CREATING' }))).toEqual([]);
});
it('a complete cluster becomes active once, and its creation ends', () => {
  expect(types(base, around({}))).toEqual(['ClusterBecameActive', 'OperationEnded']);
  expect(types(after(base, around({})), around({}))).toEqual([]);
});
it('a cluster is degraded once with a group, fails its creation when the group failed permanently, and recovers', () => {
  const bad = around({ status: 'DEGRADED', reason: 'r' });
  expect(types(base, bad)).toEqual(['ClusterDegraded']);
  const degraded = after(base, bad);
  expect(degraded).toMatchObject({ status: 'DEGRADED', statusReason: 'node group web: r' });
  expect(types(degraded, bad)).toEqual([]);
  expect(types(degraded, around({ status: 'DEGRADED', reason: 'r', failed: true }))).toEqual(['OperationEnded']);
  expect(types(degraded, around({}))).toEqual(['ClusterBecameActive', 'OperationEnded']);
});
it('a cluster that is being deleted is empty only when both groups and containers are removed', () => {
  const going = { ...base, deleting: true };
  expect(types(going, around(undefined, { groupsRemoved: true }))).toEqual([]);
  expect(types(going, around(undefined, { containersRemoved: true }))).toEqual([]);
  const gone = around(undefined, { groupsRemoved: true, containersRemoved: true });
  expect(types(going, gone)).toEqual(['ClusterEmptied']);
  expect(after(going, gone).work.wanted?.kind).toBe('cluster.delete');
  expect(types(after(going, gone), gone)).toEqual([]);
});
