import { given } from '../kernel/given.fixture.js';
import type { NodeEvent } from './node-events.js';
import { active, declared, node, operation, then } from './node.fixture.js';
import { expectedNodeUnit, observeNode } from './observe-node.js';
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
    given(node, ...lost)
      .when(s => observeNode(s, missing()))
      .then();
  },
);

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
