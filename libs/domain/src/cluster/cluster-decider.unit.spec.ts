import { foldAll, given } from '../kernel/given.fixture.js';
import type { TaskOutcome } from '../task/decide-task.js';
import { doneOf } from '../task/task-outcomes.fixture.js';
import type { ClusterEvent, ClusterSpecification } from './cluster-events.js';
import type { ClusterState, ClusterTaskKind } from './cluster-state.js';
import { clusterStream } from './evolve-cluster.js';
import * as decide from './index.js';

const cluster = clusterStream;
const operation = (id: string, kind: string) => ({ id, kind, total: 1 });
const update = operation('op-update', 'cluster.update');
const deletion = operation('op-delete', 'cluster.delete');
const spec: ClusterSpecification = {
  description: 'mine',
  driver: 'fake',
  driverVersion: '1.0.0',
  conductorGroup: '',
  network: {},
  api: {},
  labels: { env: 'test' },
  defaults: {},
  options: {},
};
const created: ClusterEvent = {
  type: 'ClusterCreated',
  data: { id: 'c', name: 'web', projectId: 'p', spec, groups: [], operation: operation('op', 'cluster.create') },
};
const holder = { conductor: 'one', session: 's' };

/** What is wanted after these events is claimed. */
function claimed(...events: readonly ClusterEvent[]): ClusterEvent[] {
  const { wanted } = foldAll(cluster, events).work;
  if (!wanted) throw new Error('nothing is wanted');
  const { taskId, kind, generation, attempt } = wanted;
  return [
    ...events,
    { type: 'TaskClaimed', data: { taskId, kind, generation, attempt: attempt + 1, epoch: 0, ...holder } },
  ];
}

const report =
  (outcome: TaskOutcome<ClusterTaskKind> | 'done', retryAt?: string) =>
  (state: ClusterState): ReturnType<typeof decide.reportClusterTask> => {
    const { taskId = '', attempt = 0 } = state.work.claim ?? {};
    return decide.reportClusterTask(
      {
        taskId,
        attempt,
        ...holder,
        ...(retryAt ? { retryAt } : {}),
        outcome: outcome === 'done' ? doneOf(state.work.wanted?.kind ?? 'cluster.create') : outcome,
      },
      state,
    );
  };
const done = report('done');
const broken = report({ type: 'failed', failure: 'permanent', message: 'no quota' });

function after(
  events: readonly ClusterEvent[],
  decision: (state: ClusterState) => ReturnType<typeof decide.deleteCluster>,
): ClusterEvent[] {
  const said = decision(foldAll(cluster, events));
  if (!said.ok) throw new Error(said.refusal.code);
  return [...events, ...said.events];
}
const remove = (state: ClusterState) => decide.deleteCluster(state, { operation: deletion });
const retry = (state: ClusterState) =>
  decide.retryCluster(state, { operation: operation('op-retry', 'cluster.retry') });
const going = after([created], remove);
const emptied: ClusterEvent[] = [...going, { type: 'ClusterEmptied', data: {} }];

describe('a cluster', () => {
  it('a created cluster requests the build of its shared infrastructure, and shows its endpoints', () => {
    expect(given(cluster, created).state).toMatchObject({
      status: 'CREATING',
      revision: 1,
      work: { wanted: { kind: 'cluster.create', generation: 1 } },
    });
    expect(foldAll(cluster, after(claimed(created), done))).toMatchObject({
      built: true,
      endpoints: [{ name: 'api', url: 'tcp://1.2.3.4:2375' }],
      work: {},
    });
  });

  it('a cluster that cannot be built fails with its operation and a reason until an operator retries it', () => {
    const failed = after(claimed(created), broken);
    expect(failed.slice(-1)).toEqual([
      {
        type: 'OperationEnded',
        data: { operationId: 'op', status: 'FAILED', error: { code: 'permanent', detail: 'no quota' } },
      },
    ]);
    expect(foldAll(cluster, failed)).toMatchObject({ status: 'FAILED', statusReason: 'no quota' });
    expect(foldAll(cluster, after(failed, retry))).toMatchObject({ status: 'CREATING' });
    given(cluster, created).when(retry).thenRefused('nothing-to-retry');
  });

  it('a cluster retries a transient failure automatically', () => {
    const retryAt = '2026-01-01T00:00:05.000Z';
    const events = after(claimed(created), report({ type: 'failed', failure: 'transient', message: 'busy' }, retryAt));
    expect(foldAll(cluster, events)).toMatchObject({ status: 'CREATING', operations: [{ id: 'op' }] });
  });
});

describe('a change of a cluster', () => {
  it('a change of a cluster raises the revision by one, and removes the description with null', () => {
    const [, event] = after([created], s =>
      decide.updateCluster(s, { description: null, labels: { a: '1' } }, { operation: update }),
    );
    const { state } = given(cluster, created, event!);
    expect(state).toMatchObject({ revision: 2, spec: { labels: { a: '1' }, driver: 'fake' } });
    expect(state.spec).not.toHaveProperty('description');
  });

  it('a change of a cluster without effect results in no event', () => {
    given(cluster, created)
      .when(s => decide.updateCluster(s, { labels: { env: 'test' }, conductorGroup: '' }, { operation: update }))
      .then();
  });

  it('a change that needs new nodes is a rollout, and refused while other work is under way', () => {
    const rollout = { ...update, total: 3 };
    const complete: ClusterEvent = { type: 'OperationEnded', data: { operationId: 'op', status: 'SUCCEEDED' } };
    const built = [...after(claimed(created), done), complete];
    const change = (s: ClusterState) =>
      decide.updateCluster(s, { options: { size: 2 } }, { operation: update, rollout: () => rollout });
    given(cluster, ...built)
      .when(change)
      .then(
        { type: 'ClusterUpdated', data: { changes: { options: { size: 2 } } } },
        { type: 'ClusterRebuildRequested', data: { operation: rollout } },
      );
    given(cluster, ...after(built, change))
      .when(s => decide.updateCluster(s, { options: { size: 3 } }, { operation: update, rollout: () => rollout }))
      .thenRefused('busy');
    given(cluster, created)
      .when(change)
      .then({ type: 'ClusterUpdated', data: { changes: { options: { size: 2 } } } });
  });

  it('a change of a cluster is refused at another revision, during a deletion, and if the cluster does not exist', () => {
    given(cluster, created)
      .when(s => decide.updateCluster(s, {}, { operation: update, ifMatch: 7 }))
      .thenRefused('revision-mismatch');
    given(cluster, ...going)
      .when(s => decide.updateCluster(s, {}, { operation: update }))
      .thenRefused('being-deleted');
  });
});

describe('a deletion of a cluster', () => {
  it('a deletion drops the wanted task, and requests no other before the cluster is empty', () => {
    expect(foldAll(cluster, going)).toMatchObject({ status: 'DELETING', deleting: true, work: {} });
    expect(foldAll(cluster, emptied).work.wanted).toMatchObject({ kind: 'cluster.delete', operationId: 'op-delete' });
  });

  it('a deletion waits for the conductor that builds the cluster, and ignores its result', () => {
    const late = after(claimed(created), remove);
    expect(foldAll(cluster, late).work).toMatchObject({ claim: holder });
    given(cluster, ...late)
      .when(done)
      .thenTypes('TaskReleased');
  });

  it('a deletion ends its own operation and the one that it superseded', () => {
    given(cluster, ...claimed(...emptied))
      .when(done)
      .thenTypes('TaskCompleted', 'ClusterDeleted', 'OperationEnded', 'OperationEnded');
    const events = after(claimed(...emptied), done);
    expect(events.slice(-2).map(e => e.data)).toEqual([
      { operationId: 'op', status: 'CANCELLED' },
      { operationId: 'op-delete', status: 'SUCCEEDED' },
    ]);
    expect(foldAll(cluster, events)).toMatchObject({ deleted: true, operations: [], work: {} });
  });

  it('a second deletion of a cluster is refused', () => {
    given(cluster, ...going)
      .when(remove)
      .thenRefused('being-deleted');
  });
});

describe('cancelling an operation of a cluster', () => {
  const cancel = (id: string) => (s: ClusterState) => decide.cancelClusterOperation(s, { operationId: id, deletion });
  it('cancelling the creation of a cluster deletes the cluster', () => {
    given(cluster, created).when(cancel('op')).thenTypes('OperationCancelRequested', 'ClusterDeletionRequested');
  });
  it('cancelling is refused for a deletion and for an operation that has ended', () => {
    given(cluster, ...going)
      .when(cancel('op-delete'))
      .thenRefused('not-cancellable');
    given(cluster, created).when(cancel('other')).thenRefused('operation-ended');
  });
});

it('a cluster refuses a report that does not match the current claim', () => {
  given(cluster, ...claimed(created))
    .when(s =>
      decide.reportClusterTask(
        { taskId: s.work.claim!.taskId, attempt: 9, ...holder, outcome: doneOf('cluster.create') },
        s,
      ),
    )
    .thenRefused('stale');
});
