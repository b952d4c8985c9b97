import fc from 'fast-check';
import { cancelClusterOperation, deleteCluster, retryCluster } from './cluster-decider.js';
import { ClusterSimulation } from './cluster-simulation.fixture.js';

const counts = fc.array(fc.nat(3), { maxLength: 3 });
const luck = fc.array(fc.boolean(), { maxLength: 30 });
const story = fc.array(fc.constantFrom('delete', 'retry', 'cancel', 'go on'), { maxLength: 6 });

const told = (ends: readonly boolean[]) => {
  let i = 0;
  return () => ends[i++] ?? true;
};

function run(cluster: ClusterSimulation, what: string, i: number, ends: () => boolean): void {
  const { state } = cluster;
  const operation = { id: `op-${i}`, kind: `cluster.${what}`, total: 1 };
  if (what === 'delete') cluster.take(deleteCluster(state, operation));
  if (what === 'retry') cluster.take(retryCluster(state, operation));
  if (what === 'cancel') cluster.take(cancelClusterOperation(state, state.operations[0]?.id ?? '', operation));
  if (what === 'go on') cluster.exhaust(ends);
}

it('leaves no operation open when nothing more can happen, and says why it is not whole', () => {
  fc.assert(
    fc.property(counts, story, luck, (groups, steps, ends) => {
      const cluster = new ClusterSimulation(groups);
      const luckily = told(ends);
      steps.forEach((what, i) => run(cluster, what, i, luckily));
      cluster.exhaust(luckily);
      const { operations, status, statusReason, deleted } = cluster.state;
      expect(operations).toEqual([]);
      const ended = cluster.log.flatMap(e => (e.type === 'OperationEnded' ? [e.data.operationId] : []));
      expect([...ended].sort()).toEqual(
        cluster
          .started()
          .map(o => o.id)
          .sort(),
      );
      if (!deleted && status !== 'ACTIVE')
        expect({ status, statusReason }).toEqual({ status, statusReason: expect.stringMatching(/./) });
    }),
    { numRuns: 500 },
  );
});

it('a deletion that was given up is taken up again, by whom asks for it or for a retry, and goes to the end', () => {
  fc.assert(
    fc.property(counts, luck, fc.boolean(), fc.boolean(), (groups, ends, built, byRetry) => {
      const cluster = new ClusterSimulation(groups);
      if (built) cluster.exhaust(() => true);
      cluster.take(deleteCluster(cluster.state, { id: 'bye', kind: 'cluster.delete', total: 1 }));
      cluster.exhaust(told(ends));
      const open = !cluster.state.deleted;
      const again = { id: 'again', kind: 'cluster.delete', total: 1 };
      expect(cluster.take(byRetry ? retryCluster(cluster.state, again) : deleteCluster(cluster.state, again))).toBe(
        open,
      );
      cluster.exhaust(() => true);
      expect(cluster.state).toMatchObject({ deleted: true, operations: [] });
      if (open) expect(cluster.log.at(-1)).toMatchObject({ data: { operationId: 'again', status: 'SUCCEEDED' } });
    }),
    { numRuns: 300 },
  );
});

it('a cluster that was given up is whole after a retry', () => {
  const cluster = new ClusterSimulation([2, 1]);
  cluster.exhaust(() => false);
  expect(cluster.state).toMatchObject({ status: 'FAILED', operations: [], statusReason: 'no quota' });
  cluster.take(retryCluster(cluster.state, { id: 'again', kind: 'cluster.retry', total: 1 }));
  cluster.exhaust(() => true);
  expect(cluster.state).toMatchObject({ status: 'ACTIVE', operations: [] });
  expect(cluster.log.at(-1)).toMatchObject({ data: { operationId: 'again', status: 'SUCCEEDED' } });
});
