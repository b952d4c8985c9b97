import { doneOf } from '../task/task-outcomes.fixture.js';
import { foldAll } from '../kernel/given.fixture.js';
import { createCluster, deleteCluster, pauseCluster } from './cluster-decider.js';
import { after, begin, claim, cluster, create, spec } from './cluster-states.fixture.js';
import type { ClusterEvent } from './cluster-events.js';
import type { ClusterState } from './cluster-state.js';
import { reconcileCluster, type ClusterReconcileInput } from './reconcile-cluster.js';
import { reportClusterTask } from './report-cluster-task.js';

const nothing = { group: () => undefined, groups: [], groupsRemoved: false, containersRemoved: false };
const creating = { name: 'later', status: 'CREATING', failed: false, deleted: false };
const operation = begin('op-create', 'create');
const alone = () => createCluster({ id: 'c', name: 'web', projectId: 'p', spec, groups: [], operation });

const reported = (events: readonly ClusterEvent[], around?: ClusterReconcileInput): readonly ClusterEvent[] => {
  const state: ClusterState = foldAll(cluster, events);
  const { taskId = '', attempt = 0 } = state.work.claim ?? {};
  const command = { taskId, attempt, conductor: 'one', session: 's', outcome: doneOf('cluster.create') };
  const decision = reportClusterTask(command, state, around && (() => around));
  if (!decision.ok) throw new Error(decision.refusal.code);
  return decision.events;
};
const types = (events: readonly ClusterEvent[]): readonly string[] => events.map(({ type }) => type);

it('a cluster without groups is complete with the report that its shared infrastructure is built', () => {
  const before = after(alone, claim);
  const end = reported(before, nothing);
  expect(types(end)).toEqual(['TaskCompleted', 'ClusterBecameActive', 'OperationEnded']);
  const state = foldAll(cluster, [...before, ...end]);
  expect(state).toMatchObject({ status: 'ACTIVE', built: true, operations: [] });
  expect(reconcileCluster(state, nothing)).toEqual([]);
});

it('what the report could not append is appended by the reconciler, with the same outcome', () => {
  const before = after(alone, claim);
  const built = reported(before);
  expect(types(built)).toEqual(['TaskCompleted']);
  const later = reconcileCluster(foldAll(cluster, [...before, ...built]), nothing);
  expect([...built, ...later]).toEqual(reported(before, nothing));
});

it.each<[string, readonly ClusterEvent[], ClusterReconcileInput, string]>([
  ['its first groups are awaited', after(create, claim), nothing, 'TaskCompleted'],
  ['a group is being created', after(alone, claim), { ...nothing, groups: [creating] }, 'TaskCompleted'],
  ['it is paused', after(alone, claim, s => pauseCluster(s, { paused: true })), nothing, 'TaskCompleted'],
  ['it is being deleted', after(alone, claim, s => deleteCluster(s, { operation })), nothing, 'TaskReleased'],
])('a cluster is not complete with the report while %s', (_while, events, around, type) => {
  expect(types(reported(events, around))).toEqual([type]);
});
