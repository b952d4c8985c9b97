import { foldAll, given } from '../kernel/given.fixture.js';
import { nodeGroupStream } from './evolve-node-group.js';
import * as decide from './node-group-decider.js';
import type { NodeGroupEvent } from './node-group-events.js';
import type { NodeGroupSpec } from './node-group-spec.js';
import type { NodeGroupState } from './node-group-state.js';
import { updateNodeGroup } from './update-node-group.js';

const group = nodeGroupStream;
const by = { operationId: 'change' };
const operation = (id: string, kind = 'node-group.resize') => ({ id, kind, total: 1 });
const spec = {
  role: 'worker',
  count: 3,
  minCount: 2,
  maxCount: 5,
  flavor: { cpus: 1, memoryMb: 512 },
  zones: [{ name: 'a' }, { name: 'b' }],
  labels: { tier: 'web' },
  taints: [],
  conductorGroup: null,
  options: {},
  updateStrategy: { maxSurge: 1, maxUnavailable: 0 },
} as const satisfies NodeGroupSpec;
const declaration = { id: 'g', clusterId: 'c', projectId: 'p', name: 'web', spec, operationId: 'op0' };
const created: NodeGroupEvent = {
  type: 'NodeGroupCreated',
  data: { ...declaration, operation: operation('op0', 'node-group.create') },
};
const nodes = ['a', 'b', 'a'].map((zone, ordinal) => ({ id: `n${ordinal}`, ordinal, zone }));
const complete: NodeGroupEvent[] = [
  created,
  { type: 'NodesAdded', data: { nodes, reason: 'count', operationId: 'op0' } },
  { type: 'NodeGroupBecameActive', data: { clusterId: 'c' } },
  { type: 'OperationEnded', data: { operationId: 'op0', status: 'SUCCEEDED' } },
];

it('creates a node group with the default update strategy where the declaration has none', () => {
  const { updateStrategy: _given, ...open } = spec;
  const decision = decide.createNodeGroup({ ...declaration, spec: open });
  const updateStrategy = { maxSurge: 1, maxUnavailable: 0 };
  expect(decision).toMatchObject({
    ok: true,
    events: [{ type: 'NodeGroupCreated', data: { spec: { updateStrategy } } }],
  });
});

type Decide = (state: NodeGroupState) => ReturnType<typeof decide.resizeNodeGroup>;
function after(events: readonly NodeGroupEvent[], decision: Decide): NodeGroupEvent[] {
  const said = decision(foldAll(group, events));
  if (!said.ok) throw new Error(said.refusal.code);
  return [...events, ...said.events];
}
const resize =
  (count: number, id = 'op1', ifMatch?: number): Decide =>
  s =>
    decide.resizeNodeGroup(s, { count, operation: operation(id), ifMatch });
const remove =
  (nodeId: string, lowerMin = false): Decide =>
  s =>
    decide.removeMember(s, { nodeId, operation: operation('op1', 'node.delete'), lowerMin });
const removeGroup: Decide = s =>
  decide.deleteNodeGroup(s, { operationId: 'op9', operation: operation('op9', 'node-group.delete') });
const going = after(complete, removeGroup);

describe('a resize of a node group', () => {
  it('a resize of a node group is refused outside of the bounds', () => {
    given(group, ...complete)
      .when(resize(1))
      .thenRefused('below-min-count');
    given(group, ...complete)
      .when(resize(6))
      .thenRefused('above-max-count');
    expect(foldAll(group, after(complete, resize(5)))).toMatchObject({
      status: 'UPDATING',
      spec: { count: 5 },
      revision: 2,
    });
  });
  it('the count that a group has already starts no operation, unless the group has failed: then what failed is tried again', () => {
    given(group, ...complete)
      .when(resize(3))
      .then();
    const failed: NodeGroupEvent = {
      type: 'NodeGroupDegraded',
      data: { clusterId: 'c', reason: 'full', failed: true },
    };
    given(group, ...complete, failed)
      .when(resize(3))
      .thenTypes('NodeGroupResized');
  });

  it('a resize of a node group is refused at another revision and during a deletion', () => {
    given(group, ...complete)
      .when(resize(4, 'op1', 7))
      .thenRefused('revision-mismatch');
    given(group, ...going)
      .when(resize(4))
      .thenRefused('being-deleted');
  });
  it('a cancelled resize restores the previous count unless the count was changed since', () => {
    const cancel: Decide = s => decide.cancelNodeGroupOperation(s, 'op1');
    const grown = after(complete, resize(5));
    expect(foldAll(group, after(grown, cancel)).spec.count).toBe(3);
    expect(foldAll(group, after(after(grown, resize(4, 'op2')), cancel)).spec.count).toBe(4);
  });
});

describe('a change of the bounds of a node group', () => {
  const bounds =
    (changes: { minCount?: number; maxCount?: number | null }): Decide =>
    s =>
      updateNodeGroup(s, changes, by);
  it('a change of the bounds of a node group is refused with every bound that would be violated', () => {
    const decision = updateNodeGroup(foldAll(group, complete), { minCount: 4, maxCount: 1 }, by);
    expect(decision).toMatchObject({
      refusal: { errors: [{ code: 'min-above-max' }, { code: 'count-below-min' }, { code: 'count-above-max' }] },
    });
  });
  it('a change of the bounds removes the maximum with null', () => {
    const { spec: free } = foldAll(group, after(complete, bounds({ maxCount: null })));
    expect(free).not.toHaveProperty('maxCount');
    given(group, ...after(complete, bounds({ maxCount: null })))
      .when(resize(100))
      .thenTypes('NodeGroupResized');
  });
  it('a change of the bounds without effect results in no event', () => {
    given(group, ...complete)
      .when(s => updateNodeGroup(s, { minCount: 2, labels: { tier: 'web' } }, by))
      .then();
  });
});

describe('removing a node from its group', () => {
  it('the removal of a node lowers the count, also for a node in the middle', () => {
    const { spec: left, members } = foldAll(group, after(complete, remove('n1')));
    expect(left?.count).toBe(2);
    expect([...members.values()].map(m => m.leaving)).toEqual([false, true, false]);
  });
  it('the removal of a node lowers the count below the minimum only together with the minimum', () => {
    const atMin = after(complete, remove('n1'));
    given(group, ...atMin)
      .when(remove('n0'))
      .thenRefused('below-min-count');
    expect(foldAll(group, after(atMin, remove('n0', true))).spec).toMatchObject({ count: 1, minCount: 1 });
  });
  it('the removal of a node is refused when it is repeated, and for nodes of other groups', () => {
    given(group, ...after(complete, remove('n1')))
      .when(remove('n1'))
      .thenRefused('being-deleted');
    given(group, ...complete)
      .when(remove('other'))
      .thenRefused('not-found');
  });
});

describe('replacing a node of a group', () => {
  const replace =
    (nodeId: string): Decide =>
    s =>
      decide.replaceMember(s, { nodeId, successorId: 'fresh', operation: operation('op1', 'node.replace') });
  it('the replacement of a node adds a successor with the next ordinal in the zone with the fewest nodes, and keeps the count', () => {
    const state = foldAll(group, after(complete, replace('n1')));
    expect(state.members.get('fresh')).toMatchObject({ replaces: 'n1', ordinal: 3, zone: 'b', leaving: false });
    expect(state.members.get('n1')).toMatchObject({ leaving: false });
    expect(state.spec.count).toBe(3);
  });
  it('the replacement of a node is refused while one is under way', () => {
    given(group, ...after(complete, replace('n1')))
      .when(replace('n1'))
      .thenRefused('being-replaced');
  });
});

describe('a deletion of a node group', () => {
  it('a repeated deletion of a node group is refused for an operator, and has no effect for the system', () => {
    given(group, ...going)
      .when(removeGroup)
      .thenRefused('being-deleted');
    given(group, ...going)
      .when(s => decide.deleteNodeGroup(s, { operationId: 'op8' }))
      .then();
  });
  it('the deletion of a node group cannot be cancelled, and a cancelled creation deletes the group', () => {
    given(group, ...going)
      .when(s => decide.cancelNodeGroupOperation(s, 'op9'))
      .thenRefused('not-cancellable');
    given(group, created)
      .when(s => decide.cancelNodeGroupOperation(s, 'op0'))
      .thenTypes('OperationCancelRequested', 'NodeGroupDeletionRequested');
    given(group, ...complete)
      .when(s => decide.cancelNodeGroupOperation(s, 'op0'))
      .thenRefused('operation-ended');
  });
});
