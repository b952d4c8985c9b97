import { given } from '../kernel/given.fixture.js';
import * as decide from './node-decider.js';
import type { NodeEvent } from './node-events.js';
import { doneOf } from '../task/task-outcomes.fixture.js';
import { active, broken, declared, done, fold, node, operation, remove, then, work } from './node.fixture.js';

const retry = (state: Parameters<typeof decide.retryNodeTask>[0]) =>
  decide.retryNodeTask(state, { operation: operation('again') });

it('a declared node is built and becomes active', () => {
  expect(fold(declared)).toMatchObject({
    status: 'CREATING',
    work: { wanted: { kind: 'node.create', generation: 1 } },
  });
  expect(fold(active)).toMatchObject({
    status: 'ACTIVE',
    wasActive: true,
    work: {},
    result: { infrastructureId: 'node-1' },
  });
});

describe('the removal of a node', () => {
  it('the removal of a node that no conductor has claimed deletes it at once', () => {
    given(node, ...declared)
      .when(remove)
      .thenTypes('NodeRemovalRequested', 'NodeDeleted');
    expect(fold(then(declared, remove))).toMatchObject({ deleted: true, work: {} });
  });
  it('the removal of a node that was never built completely does not wait for containers', () => {
    const failing = work(declared, broken);
    const going = then(failing, remove);
    expect(fold(going)).toMatchObject({ status: 'DELETING', work: { wanted: { kind: 'node.delete' } } });
    expect(fold(work(going, done))).toMatchObject({ deleted: true });
  });
  it('the removal of an active node waits until its containers have left', () => {
    const going = then(active, remove);
    expect(fold(going).work.wanted).toBeUndefined();
    expect(fold(then(going, decide.nodeDrained)).work.wanted?.kind).toBe('node.delete');
  });
  it('the removal of a drained node does not drain it again', () => {
    const drained = then(
      work(
        then(active, s => decide.drainNode(s, { operation: operation('op1') })),
        done,
      ),
      decide.nodeDrained,
    );
    expect(fold(drained)).toMatchObject({ status: 'ACTIVE', drained: true, schedulable: false });
    expect(fold(then(then(drained, remove), decide.nodeDrained)).work.wanted?.kind).toBe('node.delete');
  });
  it('the removal of a node during its build waits for the conductor that holds the task, and ignores its result', () => {
    const { taskId, kind, generation } = fold(declared).work.wanted!;
    const claim = { taskId, attempt: 1, conductor: 'c', session: 's' };
    const claimed: NodeEvent[] = [...declared, { type: 'TaskClaimed', data: { ...claim, kind, generation, epoch: 0 } }];
    const going = then(claimed, remove);
    expect(fold(going).work).toMatchObject({ claim: { taskId }, wanted: { kind: 'node.delete' } });
    given(node, ...going)
      .when(s => decide.reportNodeTask({ ...claim, outcome: doneOf('node.create') }, s))
      .thenTypes('TaskReleased');
  });
  it('the removal of a node ends the operation that it supersedes, and has no effect when it is repeated', () => {
    const rebooting = then(active, s => decide.rebootNode(s, { operation: operation('op1'), type: 'soft' }));
    given(node, ...rebooting)
      .when(remove)
      .thenTypes('OperationEnded', 'NodeRemovalRequested');
    given(node, ...then(rebooting, remove))
      .when(remove)
      .then();
  });
});

it('a rebuild of a node starts a new generation and supersedes waiting work', () => {
  const draining = then(active, s => decide.drainNode(s, { operation: operation('op1') }));
  given(node, ...draining)
    .when(s => decide.rebuildNode(s, { operation: operation('op2') }))
    .thenTypes('OperationEnded', 'NodeRebuildRequested');
  const rebuilding = then(draining, s => decide.rebuildNode(s, { operation: operation('op2') }));
  expect(fold(rebuilding)).toMatchObject({ status: 'UPDATING', operation: { id: 'op2' }, work: {} });
  const empty = then(rebuilding, decide.nodeDrained);
  expect(fold(empty)).toMatchObject({ work: { wanted: { kind: 'node.rebuild', generation: 3 } } });
  const again = work(empty, done);
  expect(again.at(-1)).toMatchObject({ type: 'OperationEnded', data: { operationId: 'op2', status: 'SUCCEEDED' } });
  expect(fold(again).operation).toBeUndefined();
});

it('an operation whose task fails permanently ends FAILED, and the task waits for an operator', () => {
  const rebuilding = then(active, s => decide.rebuildNode(s, { operation: operation('op2') }));
  const failed = work(then(rebuilding, decide.nodeDrained), broken);
  expect(failed.at(-1)).toMatchObject({ type: 'OperationEnded', data: { status: 'FAILED' } });
  expect(fold(failed)).toMatchObject({ status: 'FAILED', work: { wanted: { retriesExhausted: true } } });
  expect(fold(then(failed, retry)).work.wanted?.retriesExhausted).toBeUndefined();
  given(node, ...active)
    .when(retry)
    .thenRefused('nothing-to-retry');
});

it('a command to a node is refused at another revision and during other work', () => {
  given(node, ...active)
    .when(s => decide.cordonNode(s, { cordon: true, ifMatch: 7 }))
    .thenRefused('revision-mismatch');
  given(node, ...declared)
    .when(s => decide.drainNode(s, { operation: operation('x') }))
    .thenRefused('busy');
  given(node, ...then(active, remove))
    .when(s => decide.cordonNode(s, { cordon: true }))
    .thenRefused('being-deleted');
  given(node, ...active)
    .when(s => decide.cordonNode(s, { cordon: false }))
    .then();
});
