import { Simulation } from './group-simulation.fixture.js';
import { retryNodeGroup } from './group-actions.js';
import { hasLossSuspected, type Member } from './node-group-state.js';
import { removeMember, replaceMember, resizeNodeGroup } from './node-group-decider.js';

function active(count: number, zones: readonly string[] = []): Simulation {
  const group = new Simulation(count, zones);
  group.settle();
  group.allWell();
  return group;
}
const only = (ids: readonly string[]): string => ids[0] ?? '';
const successors = (group: Simulation): string[] =>
  [...group.state.members.values()].filter(m => m.replaces !== undefined && !m.leaving).map(m => m.id);

it('a node group replaces a failed node, and is DEGRADED with the reason until it is complete', () => {
  const group = active(3);
  group.fail(only(group.memberIds()), 'disk full');
  group.settle();
  expect(group.summary).toMatchObject({ status: 'DEGRADED', failed: false, replaced: 1 });
  expect(group.summary.statusReason).toContain('disk full');
  group.allWell();
  expect(group.state).toMatchObject({ status: 'ACTIVE', replaced: 0 });
  expect(group.summary.statusReason).toBeUndefined();
});

it('a node group stops replacing when its budget is spent, and fails its operations once', () => {
  const group = new Simulation(1);
  for (let i = 0; i < 10; i++) {
    group.settle();
    for (const m of group.state.members.values())
      if (m.leaving) group.set(m.id, { deleted: true });
      else group.fail(m.id);
  }
  group.settle();
  expect(group.summary).toMatchObject({ status: 'DEGRADED', failed: true, replaced: 3, operations: [] });
  expect(group.of('OperationEnded')).toMatchObject([{ data: { operationId: 'op0', status: 'FAILED' } }]);
  group.allWell();
  expect(group.summary).toMatchObject({ status: 'ACTIVE', failed: false });
});

it('a node whose build ended its conductors is replaced only after a retry of the group, once', () => {
  const lost = { failed: { class: 'conductor-lost-repeatedly', reason: 'conductors ended' } };
  const group = active(3);
  group.set(only(group.memberIds()), lost);
  group.settle();
  expect(successors(group)).toEqual([]);
  expect(group.summary).toMatchObject({ status: 'DEGRADED', failed: true, replaced: 0 });
  const retried = retryNodeGroup(group.state, { operation: { id: 'r', kind: 'node-group.retry' } });
  if (retried.ok) group.append(...retried.events);
  group.settle();
  expect(group.summary).toMatchObject({ replaced: 1 });
  group.set(only(successors(group)), lost);
  group.settle();
  expect(group.summary).toMatchObject({ status: 'DEGRADED', failed: true, replaced: 1, operations: [] });
});

it('a node group does not replace nodes whose loss is suspected before that is accepted', () => {
  const group = active(3);
  const [first = '', second = ''] = group.memberIds();
  const { replaced } = group.summary;
  for (const id of [first, second]) group.set(id, { ready: false, suspectedLoss: true });
  group.settle();
  expect(successors(group)).toEqual([]);
  expect(group.summary).toMatchObject({
    status: 'DEGRADED',
    failed: false,
    replaced,
    statusReason: expect.stringMatching(/^mass-loss-suspected: /),
  });
  expect(hasLossSuspected(group.state)).toBe(true);
  group.fail(first, 'the loss was accepted');
  group.settle();
  expect(successors(group)).toHaveLength(1);
  expect(hasLossSuspected(group.state)).toBe(true);
  group.fail(second, 'the loss was accepted');
  group.settle();
  expect(group.summary.statusReason).not.toContain('mass-loss-suspected');
  expect(hasLossSuspected(group.state)).toBe(false);
  group.allWell();
  expect(group.summary).toMatchObject({ status: 'ACTIVE' });
});

it('a node group replaces a node in another zone when the zone has too few resources', () => {
  const group = active(2, ['a', 'b']);
  const inA = [...group.state.members.values()].find(m => m.zone === 'a')?.id ?? '';
  group.set(inA, { failed: { class: 'capacity', reason: 'no room' } });
  group.settle();
  expect(group.state.members.get(only(successors(group)))?.zone).toBe('b');
});

it('a node that is being replaced still leaves when its first successor fails', () => {
  const group = active(2);
  const old = only(group.memberIds());
  const decision = replaceMember(group.state, {
    nodeId: old,
    successorId: 'first',
    operation: { id: 'r', kind: 'node.replace', total: 1 },
  });
  if (decision.ok) group.append(...decision.events);
  group.fail('first');
  group.settle();
  expect(group.state.members.get(old)?.leaving).toBe(false);
  const [second] = successors(group);
  expect(second).not.toBe('first');
  group.allWell();
  expect(group.memberIds()).not.toContain(old);
  expect(group.memberIds()).toContain(second);
  expect(group.state.members.size).toBe(2);
  expect(group.log.at(-1)).toMatchObject({ data: { operationId: 'r', status: 'SUCCEEDED' } });
});

it('the removal of a node from a group with count 0 does not make the count negative', () => {
  const group = active(1);
  const node = only(group.memberIds());
  const resized = resizeNodeGroup(group.state, {
    count: 0,
    operation: { id: 'x', kind: 'node-group.resize', total: 1 },
  });
  if (resized.ok) group.append(...resized.events);
  const removed = removeMember(group.state, {
    nodeId: node,
    operation: { id: 'y', kind: 'node.delete', total: 1 },
    lowerMin: true,
  });
  if (removed.ok) group.append(...removed.events);
  group.allWell();
  expect(group.state).toMatchObject({ status: 'ACTIVE', spec: { count: 0, minCount: 0 }, operations: [] });
});

it('a scale-in of 10,000 nodes in one event reads each member at most 100 times', () => {
  const group = active(10_000, ['a', 'b', 'c']);
  const decision = resizeNodeGroup(group.state, {
    count: 0,
    operation: { id: 'x', kind: 'node-group.resize', total: 1 },
  });
  if (decision.ok) group.append(...decision.events);
  let reads = 0;
  const get = (member: Member, key: keyof Member): unknown => {
    reads++;
    return member[key];
  };
  const members = new Map(
    [...group.state.members].map(([id, m]) => [id, new Proxy(m, { get: (o, k) => get(o, k as keyof Member) })]),
  );
  group.state = { ...group.state, members };
  expect(group.next()).toMatchObject([{ type: 'NodeRemovalAccepted', data: { count: 0 } }]);
  expect(reads).toBeLessThan(100 * 10_000);
});

it('a node group lists the nodes that failed or could not be removed, and ends the operations that waited for them', () => {
  const group = active(3);
  const [a = '', b = ''] = group.memberIds();
  const operation = { id: 'x', kind: 'node-group.resize', total: 2 };
  const decision = resizeNodeGroup(group.state, { count: 1, operation });
  if (decision.ok) group.append(...decision.events);
  group.exhaust(() => false);
  expect(group.summary).toMatchObject({
    status: 'DEGRADED',
    failed: true,
    operations: [],
    statusReason: '2 nodes could not be removed: web-1: stuck; web-2: stuck',
  });
  const detail = group.summary.statusReason;
  expect(group.log.at(-1)?.data).toEqual({
    operationId: 'x',
    status: 'FAILED',
    error: { code: 'removal-failed', detail },
  });
  expect([a, b]).toContain(group.memberIds()[0]);
  const again = { id: 'y', kind: 'node.delete', total: 1 };
  const stuck = [...group.state.members.values()].find(m => m.leaving)?.id ?? '';
  const removed = removeMember(group.state, { nodeId: stuck, operation: again, lowerMin: false });
  expect(removed).toMatchObject({ ok: true, events: [{ data: { count: 1, nodeIds: [stuck] } }] });
  if (removed.ok) group.append(...removed.events);
  expect(removeMember(group.state, { nodeId: stuck, operation: { ...again, id: 'z' }, lowerMin: false })).toMatchObject(
    {
      ok: false,
      refusal: { code: 'being-deleted' },
    },
  );
  group.exhaust(() => true);
  expect(group.state).toMatchObject({ status: 'ACTIVE', operations: [] });
});

it('the reason of a node group stays short when many nodes cannot be removed', () => {
  const group = active(40);
  const decision = resizeNodeGroup(group.state, {
    count: 0,
    operation: { id: 'x', kind: 'node-group.resize', total: 40 },
  });
  if (decision.ok) group.append(...decision.events);
  group.settle();
  for (const id of group.memberIds()) group.stick(id, 'x'.repeat(5_000));
  group.settle();
  expect(group.summary.statusReason).toMatch(/^40 nodes could not be removed: .*; and 35 more$/);
  expect(group.summary.statusReason?.length).toBeLessThan(1_200);
});
