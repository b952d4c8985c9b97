import { given } from '../kernel/given.fixture.js';
import { isNodeInService, memberView } from '../node-group/member-view.js';
import type { NodeEvent } from './node-events.js';
import { nodeEvictionReason, type NodeState } from './node-state.js';
import { active, broken, declared, done, fold, node, operation, then, work } from './node.fixture.js';
import * as decide from './node-decider.js';

const drain = (s: NodeState) =>
  decide.drainNode(s, { operation: operation('op1'), deadline: '2026-01-01T00:00:30.000Z' });
const rebuild = (s: NodeState) => decide.rebuildNode(s, { operation: operation('op2') });
const uncordon = (s: NodeState) => decide.cordonNode(s, { cordon: false });
const cordon = (s: NodeState) => decide.cordonNode(s, { cordon: true });
const succeeded = (events: readonly NodeEvent[]): boolean =>
  events.some(e => e.type === 'OperationEnded' && e.data.status === 'SUCCEEDED' && e.data.operationId === 'op1');

describe('a drain of a node', () => {
  const draining = then(active, drain);

  it('a drain ends when the containers have left and the driver has done its part, in either order', () => {
    expect(fold(draining)).toMatchObject({ status: 'DRAINING', work: { wanted: { kind: 'node.drain' } } });
    expect(nodeEvictionReason(fold(draining))).toBe('drained');
    const emptyFirst = then(draining, decide.nodeDrained);
    const driverFirst = work(draining, done);
    for (const [half, complete] of [
      [emptyFirst, work(emptyFirst, done)],
      [driverFirst, then(driverFirst, decide.nodeDrained)],
    ] as const) {
      expect(succeeded(half)).toBe(false);
      expect(fold(half).status).toBe('DRAINING');
      expect(succeeded(complete)).toBe(true);
      expect(fold(complete)).toMatchObject({ status: 'ACTIVE', drained: true, schedulable: false, work: {} });
    }
  });

  it('a drain fails when the driver cannot do its part, and the node stays in service', () => {
    const failed = work(draining, broken);
    expect(failed.at(-1)).toMatchObject({ data: { operationId: 'op1', status: 'FAILED' } });
    expect(fold(failed)).toMatchObject({ status: 'ACTIVE', schedulable: false, work: {} });
  });

  it('a drain fails at its deadline and not before, and leaves the node cordoned', () => {
    given(node, ...draining)
      .when(s => decide.failOverdueDrain(s, '2026-01-01T00:00:29.000Z'))
      .then();
    const late = then(draining, s => decide.failOverdueDrain(s, '2026-01-01T00:00:30.000Z'));
    expect(late.at(-1)).toMatchObject({ data: { status: 'FAILED', error: { code: 'containers-left' } } });
    expect(fold(late)).toMatchObject({ status: 'ACTIVE', schedulable: false, drained: false, work: {} });
    expect(nodeEvictionReason(fold(late))).toBeUndefined();
    given(node, ...late)
      .when(decide.nodeDrained)
      .then();
    given(node, ...late)
      .when(s => decide.drainNode(s, { operation: operation('again') }))
      .thenTypes('NodeDrainRequested');
  });

  it('a drain says which sets its containers wait for, once, also when it misses its deadline', () => {
    const why = 'containers wait for the disruption budget of the set web';
    const waiting = then(draining, s => decide.delayEviction(s, why));
    expect(fold(waiting)).toMatchObject({ status: 'DRAINING', statusReason: why });
    given(node, ...waiting)
      .when(s => decide.delayEviction(s, why))
      .then();
    const late = then(waiting, s => decide.failOverdueDrain(s, '2026-01-01T00:00:30.000Z'));
    expect(late.at(-1)).toMatchObject({
      data: { error: { code: 'containers-left', detail: expect.stringContaining(why) } },
    });
    expect(fold(then(waiting, decide.nodeDrained)).statusReason).toBeUndefined();
  });

  it('a drain is cancelled when the node is uncordoned, and the driver undoes its part', () => {
    const open = then(draining, uncordon);
    expect(open.slice(draining.length)).toMatchObject([
      { type: 'OperationEnded', data: { operationId: 'op1', status: 'CANCELLED' } },
      { type: 'NodeUncordoned' },
    ]);
    expect(fold(open)).toMatchObject({
      status: 'ACTIVE',
      schedulable: true,
      work: { wanted: { kind: 'node.undrain' } },
    });
    expect(nodeEvictionReason(fold(open))).toBeUndefined();
    const undone = work(open, done);
    expect(fold(undone)).toMatchObject({ status: 'ACTIVE', work: {} });
    given(node, ...undone)
      .when(cordon)
      .thenTypes('NodeCordoned');
    expect(fold(work(open, broken))).toMatchObject({ status: 'ACTIVE', schedulable: true, work: {} });
  });

  it('a cancelled drain leaves the node cordoned', () => {
    const off = then(draining, s => decide.cancelNodeOperation(s, 'op1'));
    expect(off.at(-1)).toMatchObject({ data: { status: 'CANCELLED' } });
    expect(fold(off)).toMatchObject({ status: 'ACTIVE', schedulable: false });
    given(node, ...off)
      .when(s => decide.cancelNodeOperation(s, 'op1'))
      .thenRefused('operation-ended');
    given(node, ...then(active, rebuild))
      .when(s => decide.cancelNodeOperation(s, 'op2'))
      .thenRefused('not-cancellable');
  });

  it('a drain is refused for a node that is not built', () => {
    given(node, ...work(declared, broken))
      .when(drain)
      .thenRefused('busy');
  });
});

describe('a rebuild of a node', () => {
  const rebuilding = then(active, rebuild);

  it('a node counts as available during a rebuild until its containers have left, and again once it is built', () => {
    const emptied = then(rebuilding, decide.nodeDrained);
    const histories = [rebuilding, emptied, work(emptied, broken), work(emptied, done)];
    expect(histories.map(history => isNodeInService(fold(history)))).toEqual([true, false, false, true]);
    expect(memberView(fold(emptied))).toMatchObject({ ready: true, busy: true });
  });

  it('a rebuild waits until the containers have left, and opens the node again afterwards', () => {
    expect(fold(rebuilding)).toMatchObject({ status: 'UPDATING', schedulable: false, work: {} });
    expect(nodeEvictionReason(fold(rebuilding))).toBe('rebuilt');
    const again = work(then(rebuilding, decide.nodeDrained), done);
    expect(fold(again)).toMatchObject({ status: 'ACTIVE', schedulable: true, drained: false, builtGeneration: 2 });
    expect(fold(again).rebuilding).toBeUndefined();
    expect(nodeEvictionReason(fold(again))).toBeUndefined();
  });

  it('a rebuild leaves a cordoned node cordoned, and respects a cordon or uncordon meanwhile', () => {
    const outcome = (events: NodeEvent[]): boolean => fold(work(then(events, decide.nodeDrained), done)).schedulable;
    expect(outcome(then(then(active, cordon), rebuild))).toBe(false);
    expect(outcome(then(rebuilding, cordon))).toBe(false);
    expect(outcome(then(then(rebuilding, cordon), uncordon))).toBe(true);
    expect(fold(then(then(rebuilding, cordon), uncordon)).schedulable).toBe(false);
  });

  it('a rebuild of a node that was never built starts at once', () => {
    const failed = work(declared, broken);
    expect(fold(then(failed, rebuild)).work.wanted?.kind).toBe('node.rebuild');
  });

  it('a removal, which evicts the containers too, supersedes a rebuild', () => {
    const going = then(rebuilding, s => decide.removeNode(s, { reason: 'r', operationId: 'op9' }));
    expect(nodeEvictionReason(fold(going))).toBe('removed');
    expect(fold(then(going, decide.nodeDrained)).work.wanted?.kind).toBe('node.delete');
  });
});

describe('the removal of a node from a cluster that is deleted and has no containers', () => {
  const remove = (isEmpty: boolean) => (s: NodeState) =>
    decide.removeNode(s, { reason: 'r', operationId: 'op9', isEmpty });

  it('removes the infrastructure at once', () => {
    const removed = then(active, remove(true));
    expect(fold(removed)).toMatchObject({
      status: 'DELETING',
      drained: true,
      work: { wanted: { kind: 'node.delete' } },
    });
    given(node, ...removed)
      .when(decide.nodeDrained)
      .then();
  });

  it('takes the place of the work of the node that was under way', () => {
    const rebooting = then(active, s => decide.rebootNode(s, { operation: operation('op3'), type: 'soft' }));
    expect(fold(then(rebooting, remove(true))).work.wanted).toMatchObject({ kind: 'node.delete', operationId: 'op9' });
  });

  it('waits for the scheduler where containers may be left', () => {
    const removed = then(active, remove(false));
    expect(fold(removed)).toMatchObject({ status: 'DELETING', drained: false, work: {} });
    expect(nodeEvictionReason(fold(removed))).toBe('removed');
  });
});
