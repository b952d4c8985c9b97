import { given } from '../kernel/given.fixture.js';
import type { DomainEvent } from '../kernel/decider.js';
import * as decide from './node-decider.js';
import type { NodeDeclaration, NodeEvent } from './node-events.js';
import { evolveNode, initialNode, type NodeState } from './node-state.js';

const node = { initial: initialNode, evolve: evolveNode };
const declaration: NodeDeclaration = {
  id: 'n',
  nodeGroupId: 'g',
  clusterId: 'c',
  projectId: 'p',
  name: 'web-0',
  groupName: 'web',
  ordinal: 0,
  spec: { role: 'worker', flavor: { cpus: 1, memoryMb: 1 }, labels: {}, taints: [], options: {} },
  operationId: 'op0',
};
const operation = (id: string) => ({ id, kind: 'node.test', total: 1 });
const fold = (events: readonly DomainEvent[]): NodeState => given(node, ...(events as NodeEvent[])).state;

/** The holder claims what is wanted and reports it so. */
function work(
  events: readonly NodeEvent[],
  outcome: Parameters<typeof decide.reportNodeTask>[0]['outcome'],
): NodeEvent[] {
  const { wanted } = fold(events).work;
  if (!wanted) throw new Error('nothing wanted');
  const { taskId, kind, generation } = wanted;
  const attempt = wanted.attempt + 1;
  const holder = { conductor: 'c', session: 's' };
  const begun: NodeEvent[] = [
    ...events,
    { type: 'TaskClaimed', data: { taskId, kind, generation, attempt, epoch: 0, ...holder } },
  ];
  const decision = decide.reportNodeTask({ taskId, attempt, ...holder, outcome }, fold(begun));
  if (!decision.ok) throw new Error(decision.refusal.code);
  return [...begun, ...decision.events];
}
const result = { infrastructureId: 'i', addresses: ['10.0.0.1'], capacity: { cpus: 1, memoryMb: 1 } };
const done = { type: 'done', result } as const;
const broken = { type: 'failed', failure: 'permanent', message: 'no' } as const;
const declared: NodeEvent[] = [{ type: 'NodeDeclared', data: declaration }];
const active = work(declared, done);
const then = (events: NodeEvent[], decision: (s: NodeState) => ReturnType<typeof decide.removeNode>): NodeEvent[] => {
  const said = decision(fold(events));
  if (!said.ok) throw new Error(said.refusal.code);
  return [...events, ...said.events];
};
const remove = (s: NodeState) => decide.removeNode(s, 'removed', 'op9');

it('is built, then active', () => {
  expect(fold(declared)).toMatchObject({
    status: 'CREATING',
    work: { wanted: { kind: 'node.create', generation: 1 } },
  });
  expect(fold(active)).toMatchObject({
    status: 'ACTIVE',
    wasActive: true,
    work: {},
    result: { infrastructureId: 'i' },
  });
});

describe('removal', () => {
  it('of a node that nobody began to build is its end at once', () => {
    given(node, ...declared)
      .when(remove)
      .thenTypes('NodeRemovalRequested', 'NodeDeleted');
    expect(fold(then(declared, remove))).toMatchObject({ deleted: true, work: {} });
  });
  it('of a node that was begun takes it off the infrastructure without waiting for containers', () => {
    const failing = work(declared, broken);
    const going = then(failing, remove);
    expect(fold(going)).toMatchObject({ status: 'DELETING', work: { wanted: { kind: 'node.delete' } } });
    expect(fold(work(going, done))).toMatchObject({ deleted: true });
  });
  it('of an active node waits until its containers left', () => {
    const going = then(active, remove);
    expect(fold(going).work.wanted).toBeUndefined();
    expect(fold(then(going, decide.nodeDrained)).work.wanted?.kind).toBe('node.delete');
  });
  it('of a node that was drained before still goes on', () => {
    const drained = then(
      then(active, s => decide.drainNode(s, operation('op1'))),
      decide.nodeDrained,
    );
    expect(fold(drained)).toMatchObject({ status: 'ACTIVE', drained: true, schedulable: false });
    expect(fold(then(then(drained, remove), decide.nodeDrained)).work.wanted?.kind).toBe('node.delete');
  });
  it('while it is being built waits for the holder, whose result does not count any more', () => {
    const { taskId, kind, generation } = fold(declared).work.wanted!;
    const claim = { taskId, attempt: 1, conductor: 'c', session: 's' };
    const claimed: NodeEvent[] = [...declared, { type: 'TaskClaimed', data: { ...claim, kind, generation, epoch: 0 } }];
    const going = then(claimed, remove);
    expect(fold(going).work).toMatchObject({ claim: { taskId }, wanted: { kind: 'node.delete' } });
    given(node, ...going)
      .when(s => decide.reportNodeTask({ ...claim, outcome: done }, s))
      .thenTypes('TaskReleased');
  });
  it('ends the operation that it displaces, and a second removal changes nothing', () => {
    const rebooting = then(active, s => decide.rebootNode(s, operation('op1'), 'soft'));
    given(node, ...rebooting)
      .when(remove)
      .thenTypes('OperationEnded', 'NodeRemovalRequested');
    given(node, ...then(rebooting, remove))
      .when(remove)
      .then();
  });
});

it('a rebuild is a new generation and displaces what waits', () => {
  const draining = then(active, s => decide.drainNode(s, operation('op1')));
  given(node, ...draining)
    .when(s => decide.rebuildNode(s, operation('op2')))
    .thenTypes('OperationEnded', 'NodeRebuildRequested');
  const rebuilding = then(draining, s => decide.rebuildNode(s, operation('op2')));
  expect(fold(rebuilding)).toMatchObject({ status: 'UPDATING', generation: 2, operation: { id: 'op2' } });
  const again = work(rebuilding, done);
  expect(again.at(-1)).toMatchObject({ type: 'OperationEnded', data: { operationId: 'op2', status: 'SUCCEEDED' } });
  expect(fold(again).operation).toBeUndefined();
});

it('a failed own operation ends FAILED and its task waits for a person', () => {
  const failed = work(
    then(active, s => decide.rebuildNode(s, operation('op2'))),
    broken,
  );
  expect(failed.at(-1)).toMatchObject({ type: 'OperationEnded', data: { status: 'FAILED' } });
  expect(fold(failed)).toMatchObject({ status: 'FAILED', work: { wanted: { parked: true } } });
  expect(fold(then(failed, decide.retryNodeTask)).work.wanted?.parked).toBeUndefined();
  given(node, ...active)
    .when(decide.retryNodeTask)
    .thenRefused('nothing-parked');
});

it('checks the revision and what is under way', () => {
  given(node, ...active)
    .when(s => decide.cordonNode(s, true, 7))
    .thenRefused('revision-moved');
  given(node, ...declared)
    .when(s => decide.drainNode(s, operation('x')))
    .thenRefused('busy');
  given(node)
    .when(s => decide.drainNode(s, operation('x')))
    .thenRefused('not-found');
  given(node, ...then(active, remove))
    .when(s => decide.cordonNode(s, true))
    .thenRefused('being-deleted');
  given(node, ...active)
    .when(s => decide.cordonNode(s, false))
    .then();
});
