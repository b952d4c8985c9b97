import { given } from '../kernel/given.fixture.js';
import * as decide from './node-decider.js';
import type { NodeEvent } from './node-events.js';
import type { NodeState } from './node-state.js';
import { active, broken, declared, done, fold, node, operation, remove, then, work } from './node.fixture.js';

const retry = (s: NodeState) => decide.retryNodeTask(s, { operation: operation('again') });
const removeFor = (id: string) => (s: NodeState) => decide.removeNode(s, { reason: 'removed', operationId: id });
const drained: NodeEvent = { type: 'NodeDrained', data: {} };
const stuck = work([...then(active, remove), drained], broken);
const ended = (status: string) => ({ type: 'OperationEnded', data: { operationId: 'again', status } });

it('a node shows why it could not be removed', () => {
  expect(fold(stuck)).toMatchObject({
    status: 'DELETING',
    statusReason: 'no',
    work: { wanted: { retriesExhausted: true } },
  });
});

it('a failed removal of a node is retried when another operation requests it, and then belongs to that operation', () => {
  given(node, ...stuck)
    .when(removeFor('op9'))
    .then();
  const again = then(stuck, removeFor('op10'));
  expect(fold(again).work.wanted).toMatchObject({ kind: 'node.delete', operationId: 'op10' });
  given(node, ...again)
    .when(removeFor('op11'))
    .then();
  expect(decide.removalFor(fold(stuck), 'op9')).toBe('failed');
  expect(decide.removalFor(fold(stuck), 'op10')).toBe('failed for another operation');
  expect(decide.removalFor(fold(work(again, broken)), 'op10')).toBe('failed');
  expect(fold(work(again, done))).toMatchObject({ deleted: true });
});

it('a retry of a removal is an operation that ends with the removal, successful or not', () => {
  const again = then(stuck, retry);
  expect(work(again, done).slice(-2)).toMatchObject([{ type: 'NodeDeleted' }, ended('SUCCEEDED')]);
  expect(work(again, broken).at(-1)).toMatchObject(ended('FAILED'));
  expect(decide.removalFor(fold(work(again, broken)), 'op9')).toBe('failed');
  given(node, ...again)
    .when(retry)
    .thenRefused('nothing-to-retry');
});

it('a retry of a build is an operation that ends with the build, successful or not', () => {
  const again = then(work(declared, broken), retry);
  expect(fold(again)).toMatchObject({ status: 'CREATING', operation: { id: 'again', kind: 'node.retry' } });
  expect(work(again, done).at(-1)).toMatchObject(ended('SUCCEEDED'));
  expect(work(again, broken).at(-1)).toMatchObject(ended('FAILED'));
  expect(then(again, remove)).toContainEqual(ended('CANCELLED'));
});

it('a node that was never built ends its operation when the cluster failed permanently', () => {
  const rebuilding = then(declared, s => decide.rebuildNode(s, { operation: operation('again') }));
  given(node, ...rebuilding)
    .when(s => decide.blockNode(s, 'the cluster could not be built'))
    .thenTypes('OperationEnded');
  given(node, ...active)
    .when(s => decide.blockNode(s, 'x'))
    .then();
});

it('a drain fails when the scheduler stops retrying it, and the node stays cordoned', () => {
  const draining = then(active, s => decide.drainNode(s, { operation: operation('again') }));
  const failed = then(draining, s => decide.failDrain(s, 'left'));
  expect(failed.slice(-2)).toMatchObject([{ type: 'NodeDrainStopped' }, ended('FAILED')]);
  expect(fold(failed)).toMatchObject({ status: 'ACTIVE', schedulable: false, statusReason: 'left', work: {} });
  for (const events of [active, failed, then(draining, remove)])
    given(node, ...events)
      .when(s => decide.failDrain(s, 'left'))
      .then();
});
