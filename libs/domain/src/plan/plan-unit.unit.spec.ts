import { actOnContainer, deleteContainer, updateContainer } from '../container/container-decider.js';
import type { ContainerEvent } from '../container/container-events.js';
import type { ContainerState } from '../container/container-state.js';
import * as containers from '../container/container.fixture.js';
import type { Decision } from '../kernel/decider.js';
import * as decide from '../node/node-decider.js';
import type { NodeEvent } from '../node/node-events.js';
import type { NodeState } from '../node/node-state.js';
import { active, fold, operation } from '../node/node.fixture.js';
import { planContainer, planNode } from './plan-unit.js';

describe('the plan of one unit', () => {
  it.each<[string, (s: NodeState) => Decision<NodeEvent>, string, string]>([
    ['cordon', s => decide.cordonNode(s, { cordon: true }), 'keep', 'cordoned'],
    ['drain', s => decide.drainNode(s, { operation: operation('o') }), 'change', 'drain requested'],
    ['rebuild', s => decide.rebuildNode(s, { operation: operation('o') }), 'change', 'rebuild requested'],
    ['reboot', s => decide.rebootNode(s, { operation: operation('o'), type: 'soft' }), 'change', 'reboot requested'],
  ])('the plan to %s a node has one step', (_, change, action, reason) => {
    const before = fold(active);
    const decision = change(before);
    if (!decision.ok) throw new Error(decision.refusal.code);
    const after = fold([...active, ...decision.events]);
    expect(planNode({ before, after, events: decision.events })).toEqual([
      { action, resource: { type: 'node', id: 'n', name: 'web-0' }, reason },
    ]);
  });

  it.each<[string, (s: ContainerState) => Decision<ContainerEvent>, string, string]>([
    [
      'stop',
      s => actOnContainer(s, { action: 'stop', operation: containers.operation('stop') }),
      'change',
      'stop requested',
    ],
    [
      'restart',
      s => actOnContainer(s, { action: 'restart', operation: containers.operation('restart') }),
      'change',
      'restart requested',
    ],
    [
      'label',
      s => updateContainer(s, { changes: { labels: { b: '2' } }, operation: containers.operation('update') }),
      'keep',
      'updated',
    ],
    [
      'delete',
      s => deleteContainer(s, { operationId: 'o', operation: containers.operation('delete'), reason: 'asked' }),
      'remove',
      'deletion requested',
    ],
  ])('the plan to %s a container has one step', (_, change, action, reason) => {
    const before = containers.active();
    const decision = change(before);
    if (!decision.ok) throw new Error(decision.refusal.code);
    expect(planContainer({ before, after: containers.after(before, decision), events: decision.events })).toEqual([
      { action, resource: { type: 'container', id: 'c1', name: 'web' }, reason },
    ]);
  });

  it('the plan to create a container contains no id', () => {
    const after = containers.given(containers.created);
    expect(planContainer({ before: undefined, after, events: [containers.created] })).toEqual([
      { action: 'create', resource: { type: 'container', name: 'web' }, reason: 'created' },
    ]);
  });
});
