import fc from 'fast-check';
import type { Decision } from '../kernel/decider.js';
import type { OperationStart } from '../kernel/operation.js';
import {
  cancelClusterOperation,
  deleteCluster,
  pauseCluster,
  rebootCluster,
  rebuildCluster,
  retryCluster,
  updateCluster,
  upgradeCluster,
} from './cluster-decider.js';
import type { ClusterEvent } from './cluster-events.js';
import { ClusterSimulation } from './cluster-simulation.fixture.js';
import type { ClusterState } from './cluster-state.js';

type Ask = (state: ClusterState, operation: OperationStart) => Decision<ClusterEvent>;

const asks: Readonly<Record<string, Ask>> = {
  delete: (s, operation) => deleteCluster(s, { operation }),
  force: (s, operation) => deleteCluster(s, { operation, force: true }),
  retry: (s, operation) => retryCluster(s, { operation }),
  cancel: (s, operation) => cancelClusterOperation(s, { operationId: s.operations[0]?.id ?? '', deletion: operation }),
  'cancel last': (s, operation) =>
    cancelClusterOperation(s, { operationId: s.operations.at(-1)?.id ?? '', deletion: operation }),
  update: (s, operation) => updateCluster(s, { options: { of: operation.id } }, { operation }),
  label: (s, operation) => updateCluster(s, { labels: { of: operation.id } }, { operation }),
  pause: s => pauseCluster(s, { paused: true }),
  resume: s => pauseCluster(s, { paused: false }),
  rebuild: (s, operation) => rebuildCluster(s, { operation }),
  reboot: (s, operation) => rebootCluster(s, { operation, type: 'hard' }),
  upgrade: (s, operation) => upgradeCluster(s, { operation, version: `1.${s.revision}.0`, problems: [] }),
};
const changes = ['update', 'label', 'rebuild', 'reboot', 'upgrade', 'pause', 'resume', 'cancel last', 'retry'];
const counts = fc.array(fc.nat(3), { maxLength: 3 });
const luck = fc.array(fc.boolean(), { maxLength: 30 });
const lucky = fc.array(
  fc.integer({ min: 0, max: 9 }).map(n => n > 0),
  { maxLength: 60 },
);
const go = ['continue', 'continue a little'];
const sequence = fc.array(fc.constantFrom(...Object.keys(asks), ...go), { maxLength: 8 });

const reported = (ends: readonly boolean[]) => {
  let i = 0;
  return () => ends[i++] ?? true;
};

function run(cluster: ClusterSimulation, what: string, i: number, ends: () => boolean): void {
  if (what === 'continue') return cluster.exhaust(ends);
  if (what === 'continue a little') return cluster.round(ends);
  const kind = what === 'force' ? 'delete' : what;
  const decision = asks[what]?.(cluster.state, { id: `op-${i}`, kind: `cluster.${kind}`, total: 1 });
  if (decision) cluster.take(decision);
}

const endedIn = (cluster: ClusterSimulation): string[] =>
  cluster.log.flatMap(e => (e.type === 'OperationEnded' ? [e.data.operationId] : [])).sort();

/** A failed rebuild is retried while a later update is under way. */
const retriedWhileUpdating: [number[], string[], boolean[]] = [
  [],
  ['continue a little', 'rebuild', 'continue', 'update', 'retry'],
  [true, false],
];

/** The first try after a retry fails while a later update is under way, whose own work has the same step. */
const retriedBeforeUpdate: [number[], string[], boolean[]] = [
  [],
  ['continue', 'upgrade', 'cancel last', 'continue a little', 'retry', 'update'],
  [true, false, false],
];

it.each([
  ['any commands and faults', sequence, luck],
  ['changes of an existing cluster', fc.array(fc.constantFrom(...changes, ...go), { maxLength: 12 }), lucky],
])(
  'a cluster leaves no operation open when nothing more can happen, and shows why it is not complete, after %s',
  (_of, steps, chances) => {
    fc.assert(
      fc.property(counts, steps, chances, (groups, asked, ends) => {
        const cluster = new ClusterSimulation(groups);
        const luckily = reported(ends);
        asked.forEach((what, i) => run(cluster, what, i, luckily));
        cluster.take(pauseCluster(cluster.state, { paused: false }));
        cluster.exhaust(luckily);
        const { operations, rollout, status, statusReason, deleted } = cluster.state;
        expect({ operations, rollout }).toEqual({ operations: [], rollout: undefined });
        expect(endedIn(cluster)).toEqual(
          cluster
            .started()
            .map(o => o.id)
            .sort(),
        );
        if (!deleted && status !== 'ACTIVE')
          expect({ status, statusReason }).toEqual({ status, statusReason: expect.stringMatching(/./) });
      }),
      { numRuns: 1_000, examples: [retriedWhileUpdating, retriedBeforeUpdate] },
    );
  },
);

it('a paused cluster starts no work, and becomes complete after it is resumed', () => {
  fc.assert(
    fc.property(
      counts,
      fc.constantFrom('rebuild', 'reboot', 'upgrade', 'update', 'none'),
      fc.nat(6),
      (groups, what, n) => {
        const cluster = new ClusterSimulation(groups);
        if (what !== 'none') cluster.exhaust(() => true);
        run(cluster, what, 1, () => true);
        for (let i = 0; i < n; i++) cluster.round(() => true);
        cluster.take(pauseCluster(cluster.state, { paused: true }));
        const { work } = cluster.state;
        cluster.exhaust(() => true);
        expect(cluster.state.work).toEqual(work);
        cluster.take(pauseCluster(cluster.state, { paused: false }));
        cluster.exhaust(() => true);
        expect(cluster.state).toMatchObject({ status: 'ACTIVE', operations: [] });
        expect(cluster.log.flatMap(e => (e.type === 'OperationEnded' ? [e.data.status] : []))).toEqual(
          cluster.started().map(() => 'SUCCEEDED'),
        );
      },
    ),
    { numRuns: 300 },
  );
});

it('a rebuild of a cluster rebuilds every node of every group once', () => {
  fc.assert(
    fc.property(counts, fc.nat(5), (groups, pauses) => {
      const cluster = new ClusterSimulation(groups);
      cluster.exhaust(() => true);
      run(cluster, 'rebuild', 1, () => true);
      for (let i = 0; i < pauses; i++) {
        run(cluster, i % 2 === 0 ? 'pause' : 'resume', i, () => true);
        cluster.round(() => true);
      }
      cluster.take(pauseCluster(cluster.state, { paused: false }));
      cluster.exhaust(() => true);
      const turns = cluster.groups.map(({ log }) =>
        log.flatMap(e => (e.type === 'RolloutBatchAccepted' ? e.data.nodeIds : [])),
      );
      cluster.groups.forEach((group, i) => expect([...(turns[i] ?? [])].sort()).toEqual(group.memberIds().sort()));
    }),
    { numRuns: 200 },
  );
});

it('a forced deletion always completes, and names what is abandoned', () => {
  fc.assert(
    fc.property(counts, sequence, luck, (groups, steps, ends) => {
      const cluster = new ClusterSimulation(groups);
      steps.forEach((what, i) => run(cluster, what, i, reported(ends)));
      cluster.take(
        deleteCluster(cluster.state, { operation: { id: 'force', kind: 'cluster.delete', total: 1 }, force: true }),
      );
      cluster.exhaust(() => false);
      expect(cluster.state).toMatchObject({ deleted: true, operations: [] });
    }),
    { numRuns: 500 },
  );
});

it('a deletion that failed permanently is resumed by a repeated request or a retry, and completes', () => {
  fc.assert(
    fc.property(counts, luck, fc.boolean(), fc.boolean(), (groups, ends, built, byRetry) => {
      const cluster = new ClusterSimulation(groups);
      if (built) cluster.exhaust(() => true);
      cluster.take(deleteCluster(cluster.state, { operation: { id: 'bye', kind: 'cluster.delete', total: 1 } }));
      cluster.exhaust(reported(ends));
      const open = !cluster.state.deleted;
      const again = { id: 'again', kind: 'cluster.delete', total: 1 };
      expect(
        cluster.take(
          byRetry
            ? retryCluster(cluster.state, { operation: again })
            : deleteCluster(cluster.state, { operation: again }),
        ),
      ).toBe(open);
      cluster.exhaust(() => true);
      expect(cluster.state).toMatchObject({ deleted: true, operations: [] });
      if (open) expect(cluster.log.at(-1)).toMatchObject({ data: { operationId: 'again', status: 'SUCCEEDED' } });
    }),
    { numRuns: 300 },
  );
});

it('a cluster that failed permanently is complete after a retry', () => {
  const cluster = new ClusterSimulation([2, 1]);
  cluster.exhaust(() => false);
  expect(cluster.state).toMatchObject({ status: 'FAILED', operations: [], statusReason: 'no quota' });
  cluster.take(retryCluster(cluster.state, { operation: { id: 'again', kind: 'cluster.retry', total: 1 } }));
  cluster.exhaust(() => true);
  expect(cluster.state).toMatchObject({ status: 'ACTIVE', operations: [] });
  expect(cluster.log.at(-1)).toMatchObject({ data: { operationId: 'again', status: 'SUCCEEDED' } });
});
