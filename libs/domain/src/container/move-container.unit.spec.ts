import type { ContainerChanges } from './container-changes.js';
import { updateContainer } from './container-decider.js';
import { moveContainer } from './move-container.js';
import type { ContainerEvent } from './container-events.js';
import {
  active,
  after,
  claimed,
  created,
  declaration,
  given,
  operation,
  placed,
  reported,
  types,
} from './container.fixture.js';
import { placeContainer, placementRequest } from './schedule-container.js';

const move = (state: ReturnType<typeof given>) => moveContainer(state, { operation: operation('move') });
const change = (state: ReturnType<typeof given>, changes: ContainerChanges) =>
  updateContainer(state, { changes, operation: operation('update') });

describe('a container that is moved', () => {
  it('leaves its node, passes over it, and its operation ends when it runs elsewhere', () => {
    const leaving = after(active(), move(active()));
    expect(leaving).toMatchObject({
      status: 'UPDATING',
      recentlyRejectedBy: { n1: { times: 1 } },
      work: { wanted: { kind: 'container.delete' } },
      operations: [{ kind: 'container.move' }],
    });
    const waiting = after(claimed(leaving), reported(claimed(leaving)));
    expect(waiting.nodeId).toBeUndefined();
    expect(placementRequest(waiting, ['n1'])).toMatchObject({ avoid: ['n1'], avoidedFor: { n1: 'moved' } });
    expect(placementRequest(waiting, [])).not.toHaveProperty('avoidedFor');
    const explanation = { scores: [], refusals: [], seed: 1, policy: 'default' };
    const elsewhere = after(waiting, placeContainer(waiting, { nodeId: 'n2', explanation }));
    const running = after(claimed(elsewhere), reported(claimed(elsewhere)));
    expect(running).toMatchObject({ status: 'ACTIVE', nodeId: 'n2', operations: [], recentlyRejectedBy: {} });
  });

  it('is refused without a node, on the only node allowed, and during other work', () => {
    const bound: ContainerEvent = { type: 'ContainerCreated', data: { ...declaration, hostNode: 'n1' } };
    expect([given(created), given(bound, placed), given(created, placed)].map(state => types(move(state)))).toEqual([
      'not-placed',
      'host-node',
      'busy',
    ]);
  });
});

describe('what a container demands of its node', () => {
  const demanding = given({
    type: 'ContainerCreated',
    data: {
      ...declaration,
      contents: {
        ...declaration.contents,
        zone: 'a',
        nodeSelector: { disk: 'ssd', gpu: 'yes' },
        tolerations: [{ key: 'x' }],
      },
    },
  });

  it('changes while it waits: null removes a demand, labels are merged, the other changes come with it', () => {
    const decision = change(demanding, { zone: null, nodeSelector: { gpu: null }, region: 'eu', labels: { b: '2' } });
    expect(types(decision)).toEqual(['ContainerDemandsChanged', 'OperationEnded']);
    const { contents, revision } = after(demanding, decision);
    expect(contents).toEqual({
      ...declaration.contents,
      labels: { a: '1', b: '2' },
      nodeSelector: { disk: 'ssd' },
      region: 'eu',
      tolerations: [{ key: 'x' }],
    });
    expect(revision).toBe(demanding.revision + 1);
    expect(types(change(demanding, { zone: 'a' }))).toEqual([]);
  });

  it('stays while it has a node: each is refused by its name', () => {
    const decision = change(active(), { zone: 'b', ports: null, tolerations: [] });
    if (decision.ok) throw new Error('accepted');
    expect(decision.refusal.errors?.map(({ pointer, code }) => [pointer, code])).toEqual([
      ['/zone', 'placed'],
      ['/tolerations', 'placed'],
      ['/ports', 'placed'],
    ]);
  });
});
