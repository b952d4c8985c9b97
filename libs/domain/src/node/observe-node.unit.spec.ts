import { given } from '../kernel/given.fixture.js';
import { memberView } from '../node-group/member-view.js';
import type { NodeEvent } from './node-events.js';
import type { NodeState } from './node-state.js';
import { active, declared, node, operation, then } from './node.fixture.js';
import { acceptNodeLoss, expectedNodeUnit, observeNode } from './observe-node.js';
import * as decide from './node-decider.js';

const missing = (generation = 1) => ({ generation, state: 'missing' }) as const;

it.each(['missing', 'stopped', 'failed', 'silent'] as const)(
  'a node seen %s is unreachable, with the reason',
  state => {
    given(node, ...active)
      .when(s => observeNode(s, { generation: 1, state }))
      .thenTypes('NodeBecameUnreachable');
    const lost = then(active, s => observeNode(s, { generation: 1, state }));
    expect(given(node, ...lost).state).toMatchObject({
      status: 'UNREACHABLE',
      statusReason: expect.stringContaining('its'),
    });
    expect(expectedNodeUnit(given(node, ...lost).state)).toEqual({
      state: state === 'missing' ? 'missing' : 'stopped',
    });
    given(node, ...lost)
      .when(s => observeNode(s, { generation: 1, state }))
      .then();
  },
);

it('an unreachable node of which nothing is left is known to be gone, once, until it is seen again', () => {
  const stopped = then(active, s => observeNode(s, { generation: 1, state: 'stopped' }));
  expect(memberView(given(node, ...stopped).state).failed?.isGone).toBeUndefined();
  const gone = then(stopped, s => observeNode(s, missing()));
  expect(memberView(given(node, ...gone).state).failed?.isGone).toBe(true);
  given(node, ...gone)
    .when(s => observeNode(s, missing()))
    .then();
  const back = then(gone, s => observeNode(s, { generation: 1, state: 'running' }));
  const again = then(back, s => observeNode(s, { generation: 1, state: 'failed' }));
  expect(memberView(given(node, ...again).state).failed?.isGone).toBeUndefined();
});

it('an observation that began before a change of the infrastructure is ignored', () => {
  const rebuilding = then(active, s => decide.rebuildNode(s, { operation: operation('op1') }));
  for (const events of [
    declared,
    rebuilding,
    then(active, s => decide.removeNode(s, { reason: 'r', operationId: 'op' })),
  ] as NodeEvent[][]) {
    expect(expectedNodeUnit(given(node, ...events).state)).toBeUndefined();
    given(node, ...events)
      .when(s => observeNode(s, missing()))
      .then();
  }
  given(node, ...active)
    .when(s => observeNode(s, missing(7)))
    .then();
});

it('an unreachable node that is seen again is active again', () => {
  const lost = then(active, s => observeNode(s, missing()));
  expect(expectedNodeUnit(given(node, ...lost).state)).toEqual({ state: 'missing' });
  given(node, ...lost)
    .when(s => observeNode(s, { generation: 1, state: 'running' }))
    .thenTypes('NodeBecameActive');
  given(node, ...active)
    .when(s => observeNode(s, { generation: 1, state: 'running' }))
    .then();
});

describe('a node whose loss is suspected', () => {
  const observed = (suspected: 'mass-loss' | 'identity-changed') => (s: NodeState) =>
    observeNode(s, { ...missing(), suspected }, 2);
  const suspect = then(active, observed('mass-loss'));
  const { state } = given(node, ...suspect);

  it.each(['mass-loss', 'identity-changed'] as const)('it is unreachable by %s and has not failed', why => {
    const { state: at } = given(node, ...then(active, observed(why)));
    expect(at).toMatchObject({ status: 'UNREACHABLE', statusReason: expect.stringMatching(/^mass-loss-suspected: /) });
    expect(memberView(at)).toEqual({ ready: false, deleted: false, suspectedLoss: true });
    expect(expectedNodeUnit(at)).toEqual({ state: 'missing' });
  });

  it('it is in service again when it is seen', () => {
    const seen = given(node, ...then(suspect, s => observeNode(s, { generation: 1, state: 'running' }))).state;
    expect(seen.status).toBe('ACTIVE');
    expect(memberView(seen)).toEqual({ ready: true, deleted: false });
  });

  it('it is lost when a later loss is accepted, and not by an acceptance before', () => {
    expect(acceptNodeLoss(state, 2)).toEqual({ ok: true, events: [] });
    const lost = given(node, ...then(suspect, s => acceptNodeLoss(s, 3))).state;
    expect(memberView(lost)).toMatchObject({ failed: { class: 'unreachable' } });
    expect(acceptNodeLoss(lost, 4)).toEqual({ ok: true, events: [] });
  });

  it('it can be removed and rebuilt by its operator, which an acceptance does not disturb', () => {
    const rebuilding = given(node, ...then(suspect, s => decide.rebuildNode(s, { operation: operation('op1') }))).state;
    expect(acceptNodeLoss(rebuilding, 3)).toEqual({ ok: true, events: [] });
    const removing = then(suspect, s => decide.removeNode(s, { reason: 'r', operationId: 'op' }));
    expect(acceptNodeLoss(given(node, ...removing).state, 3)).toEqual({ ok: true, events: [] });
  });
});
