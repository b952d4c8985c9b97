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

it('the reason of a cluster begins with the code of a suspected mass loss, of nodes and of containers', () => {
  const nodes = { status: 'DEGRADED', reason: 'mass-loss-suspected: nodes are missing', lossSuspected: true } as const;
  const stuck = { ...base, operations: [] };
  const reasonWith = (a: ClusterReconcileInput): string | undefined => after(stuck, a).statusReason;
  expect(reasonWith(around(nodes))).toBe('mass-loss-suspected: node group web: nodes are missing');
  const containers = around({}, { containersMissing: true });
  expect(types(stuck, containers)).toEqual(['ClusterDegraded']);
  const degraded = after(stuck, containers);
  expect(degraded).toMatchObject({ status: 'DEGRADED', containersMissing: true });
  expect(degraded.statusReason).toMatch(/^mass-loss-suspected: containers are missing/);
  expect(types(degraded, containers)).toEqual([]);
  const both = reasonWith(around(nodes, { containersMissing: true }));
  expect(both).toMatch(/^mass-loss-suspected: containers are missing.*; node group web: nodes are missing$/);
  const other = reasonWith(around({ status: 'DEGRADED', reason: 'r' }, { containersMissing: true }));
  expect(other).toMatch(/^mass-loss-suspected: containers are missing.*; node group web: r$/);
  const back = after(degraded, around({}));
  expect(back.status).toBe('ACTIVE');
  expect([back.statusReason, back.containersMissing]).toEqual([undefined, undefined]);
});

it('an operation of a cluster stays open while containers are missing, and a failed update is reported after the code', () => {
  expect(types(base, around({}, { containersMissing: true }))).toEqual(['ClusterDegraded']);
  const wanted = { kind: 'cluster.update', retriesExhausted: true, lastError: { message: 'no quota' } };
  const failed = { ...base, operations: [], work: { wanted } } as unknown as ClusterState;
  expect(after(failed, around({}, { containersMissing: true })).statusReason).toMatch(
    /^mass-loss-suspected: containers are missing.*; the shared parts could not be updated: no quota$/,
  );
});
