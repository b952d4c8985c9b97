import type { Decision } from '../kernel/decider.js';
import { rebootNodeGroup, rebuildNodeGroup } from './group-actions.js';
import { Simulation } from './group-simulation.fixture.js';
import type { NodeGroupChanges } from './node-group-changes.js';
import { cancelNodeGroupOperation } from './node-group-decider.js';
import type { NodeGroupEvent } from './node-group-events.js';
import { updateNodeGroup } from './update-node-group.js';

const begin = (id: string) => ({ id, kind: `node-group.${id}` });
const oneMayBeMissing = { maxSurge: 0, maxUnavailable: 1 };

function active(count: number, zones: readonly string[] = []): Simulation {
  const group = new Simulation(count, zones);
  group.exhaust(() => true);
  return group;
}
function take(group: Simulation, decision: Decision<NodeGroupEvent>): void {
  if (!decision.ok) throw new Error(decision.refusal.code);
  group.append(...decision.events);
}
const patch = (group: Simulation, changes: NodeGroupChanges, operationId: string): void =>
  take(group, updateNodeGroup(group.state, changes, { operationId }));
const open = (group: Simulation) => group.state.operations.map(o => o.id);
const ends = (group: Simulation) =>
  group.log.flatMap(e => (e.type === 'OperationEnded' ? [`${e.data.operationId} ${e.data.status}`] : []));

describe('a patch of zones that moves no node', () => {
  it('a patch of zones that moves no node does not affect a rebuild under way', () => {
    const group = active(3, ['a']);
    take(group, rebuildNodeGroup(group.state, { operation: begin('rebuild') }));
    group.settle();
    patch(group, { zones: [] }, 'patch');
    expect(open(group)).toEqual(['rebuild']);
    const busy = rebootNodeGroup(group.state, { operation: begin('reboot'), type: 'soft' });
    expect(busy).toMatchObject({ refusal: { code: 'busy' } });
    group.exhaust(() => true);
    expect(group.of('RolloutBatchAccepted')).toHaveLength(3);
    expect(ends(group)).toEqual(['op0 SUCCEEDED', 'rebuild SUCCEEDED']);
  });

  it('a patch of zones that moves no node does not affect a replacement under way', () => {
    const group = active(3, ['a']);
    patch(group, { image: 'fake:2' }, 'roll');
    group.settle();
    patch(group, { zones: [], labels: { a: '1' } }, 'patch');
    expect(open(group)).toEqual(['roll', 'patch']);
    group.exhaust(() => true);
    expect(ends(group)).toEqual(['op0 SUCCEEDED', 'roll SUCCEEDED', 'patch SUCCEEDED']);
  });
});

describe('a patch during another change of the group', () => {
  it('a patch builds the only node, which is leaving, again from the new specification', () => {
    const group = active(1);
    patch(group, { image: 'fake:2', updateStrategy: oneMayBeMissing }, 'second');
    group.settle();
    patch(group, { image: 'fake:3' }, 'third');
    expect(group.of('NodeGroupUpdated').at(-1)).toMatchObject({ data: { operation: { id: 'third', total: 1 } } });
    expect(open(group)).toEqual(['third']);
    patch(group, { image: 'fake:4' }, 'fourth');
    expect(open(group)).toEqual(['fourth']);
    group.exhaust(() => true);
    expect(ends(group)).toEqual(['op0 SUCCEEDED', 'second CANCELLED', 'third CANCELLED', 'fourth SUCCEEDED']);
  });

  it('a patch builds the only node, which is leaving, again in another zone', () => {
    const group = active(1, ['a']);
    patch(group, { zones: [{ name: 'b' }], updateStrategy: oneMayBeMissing }, 'b');
    group.settle();
    patch(group, { zones: [{ name: 'c' }] }, 'c');
    expect(open(group)).toEqual(['c']);
    group.exhaust(() => true);
    expect([...group.state.members.values()].map(m => m.zone)).toEqual(['c']);
    expect(ends(group)).toEqual(['op0 SUCCEEDED', 'b CANCELLED', 'c SUCCEEDED']);
  });

  it('a patch back to the earlier specification replaces no node when none was started', () => {
    const group = active(2);
    const before = group.memberIds();
    patch(group, { image: 'fake:2' }, 'there');
    patch(group, { image: null }, 'back');
    expect(open(group)).toEqual(['back']);
    group.exhaust(() => true);
    expect(group.memberIds()).toEqual(before);
    expect(ends(group)).toEqual(['op0 SUCCEEDED', 'there CANCELLED', 'back SUCCEEDED']);
  });

  it('a patch supersedes a rebuild under way', () => {
    const group = active(2);
    take(group, rebuildNodeGroup(group.state, { operation: begin('rebuild') }));
    group.settle();
    patch(group, { image: 'fake:2' }, 'roll');
    expect(open(group)).toEqual(['roll']);
    expect(group.state.rollout).toBeUndefined();
    take(group, cancelNodeGroupOperation(group.state, 'roll'));
    group.exhaust(() => true);
    expect(ends(group)).toEqual(['op0 SUCCEEDED', 'rebuild CANCELLED', 'roll CANCELLED']);
  });
});

it('a scale-in removes outdated nodes first and does not replace them', () => {
  const total = (group: Simulation, changes: NodeGroupChanges) => {
    patch(group, changes, 'patch');
    return group.of('NodeGroupUpdated').at(-1)?.data;
  };
  expect(total(active(9), { count: 4, labels: { a: '1' } })).toMatchObject({ operation: { total: 9 } });
  expect(total(active(5), { count: 3, image: 'fake:2', labels: { a: '1' } })).toMatchObject({
    operation: { total: 8 },
  });
});

it('a patch that scales in, replaces and labels nodes has as many tasks as its operation announced', () => {
  const group = active(5);
  patch(group, { count: 3, image: 'fake:2', labels: { a: '1' } }, 'patch');
  group.exhaust(() => true);
  const tasks = group.log.flatMap((e): readonly unknown[] => {
    if (e.type === 'NodesAdded') return e.data.nodes;
    return e.type === 'NodeRemovalAccepted' ? e.data.nodeIds : [];
  });
  expect(tasks).toHaveLength(5 + 8);
});
