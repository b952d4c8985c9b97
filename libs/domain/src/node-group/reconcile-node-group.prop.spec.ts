import fc from 'fast-check';
import type { Decision } from '../kernel/decider.js';
import { Simulation } from './group-simulation.fixture.js';
import {
  cancelNodeGroupOperation,
  deleteNodeGroup,
  removeMember,
  replaceMember,
  resizeNodeGroup,
} from './node-group-decider.js';
import type { NodeGroupEvent } from './node-group-events.js';

const step = fc.oneof(
  fc.record({ do: fc.constant('resize' as const), n: fc.integer({ min: 0, max: 12 }) }),
  fc.record({
    do: fc.constantFrom('ready', 'fail', 'full', 'gone', 'stick', 'remove', 'replace', 'cancel', 'settle'),
    n: fc.nat(30),
  }),
);
const steps = fc.array(step, { maxLength: 30 });
const zones = fc.subarray(['a', 'b', 'c']);

function take(group: Simulation, decision: Decision<NodeGroupEvent>): void {
  if (decision.ok) group.append(...decision.events);
}

function run(group: Simulation, { do: what, n }: { do: string; n: number }, i: number): void {
  const operation = { id: `op-${i}`, kind: `node-group.${what}`, total: 1 };
  const ids = group.memberIds();
  const id = ids[n % Math.max(1, ids.length)];
  if (what === 'settle') return group.settle();
  if (what === 'resize') return take(group, resizeNodeGroup(group.state, { count: n, operation }));
  if (what === 'cancel') {
    const open = group.state.operations[n % Math.max(1, group.state.operations.length)];
    return take(group, cancelNodeGroupOperation(group.state, open?.id ?? ''));
  }
  const member = id === undefined ? undefined : group.state.members.get(id);
  if (id === undefined || !member) return;
  if (what === 'ready' && !member.leaving) group.set(id, { ready: true });
  if (what === 'stick' && member.leaving) group.stick(id);
  if (what === 'fail' && !member.leaving) group.fail(id);
  if (what === 'full' && !member.leaving) group.set(id, { failed: { class: 'capacity', reason: 'no room' } });
  if (what === 'gone' && member.leaving) group.set(id, { deleted: true });
  if (what === 'remove') take(group, removeMember(group.state, { nodeId: id, operation, lowerMin: true }));
  if (what === 'replace')
    take(group, replaceMember(group.state, { nodeId: id, successorId: group.freshId(), operation }));
}

it('a node group reaches its count from any state, with every operation ended and nothing more to do', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 8 }), zones, steps, (count, where, sequence) => {
      const group = new Simulation(count, where);
      sequence.filter(s => s.do !== 'cancel').forEach((s, i) => run(group, s, i));
      group.settle();
      group.allWell();
      expect(group.state.members.size).toBe(group.state.spec.count);
      expect(group.summary).toMatchObject({ status: 'ACTIVE', operations: [], failed: false });
      expect(group.next()).toEqual([]);
      const ordinals = group.of('NodesAdded').flatMap(e => (e.type === 'NodesAdded' ? e.data.nodes : []));
      expect(new Set(ordinals.map(n => n.ordinal)).size).toBe(ordinals.length);
    }),
    { numRuns: 300 },
  );
});

/** Ends of work, in the order in which it ends; well after the last. */
const luck = fc.array(fc.boolean(), { maxLength: 40 });
const reported = (ends: readonly boolean[]) => {
  let i = 0;
  return () => ends[i++] ?? true;
};

it('a node group leaves no operation open when nothing more can happen, whatever fails', () => {
  fc.assert(
    fc.property(fc.nat(6), steps, luck, fc.boolean(), fc.boolean(), (count, sequence, ends, goes, blocked) => {
      const group = new Simulation(count);
      sequence.forEach((s, i) => run(group, s, i));
      if (goes)
        take(
          group,
          deleteNodeGroup(group.state, {
            operationId: 'bye',
            operation: { id: 'bye', kind: 'node-group.delete', total: 1 },
          }),
        );
      if (blocked) group.blocked = 'the cluster has failed';
      group.exhaust(reported(ends));
      expect(group.state.operations).toEqual([]);
      const started = group.log.flatMap(e => ('operation' in e.data && e.data.operation ? [e.data.operation.id] : []));
      const ended = group.of('OperationEnded').flatMap(e => ('operationId' in e.data ? [e.data.operationId] : []));
      expect([...ended].sort()).toEqual([...started].sort());
      const { deleted, deleting, failed, statusReason } = group.summary;
      if (deleting && !deleted)
        expect({ failed, why: statusReason }).toEqual({ failed: true, why: expect.any(String) });
    }),
    { numRuns: 500 },
  );
});

it('the next operation retries a removal that failed permanently, and the group completes', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6 }), steps, luck, fc.boolean(), (count, sequence, ends, goes) => {
      const group = new Simulation(count);
      sequence.forEach((s, i) => run(group, s, i));
      if (goes)
        take(
          group,
          deleteNodeGroup(group.state, {
            operationId: 'bye',
            operation: { id: 'bye', kind: 'node-group.delete', total: 1 },
          }),
        );
      group.exhaust(reported(ends));
      const { deleting, deleted } = group.summary;
      const again = { id: 'again', kind: deleting ? 'node-group.delete' : 'node-group.resize', total: 1 };
      const decision = deleting
        ? deleteNodeGroup(group.state, { operationId: 'again', operation: again })
        : resizeNodeGroup(group.state, { count: group.state.spec.count, operation: again });
      expect(decision.ok).toBe(!deleted);
      take(group, decision);
      group.exhaust(() => true);
      expect(group.state).toMatchObject({ operations: [], ...(deleting ? { deleted: true } : { status: 'ACTIVE' }) });
    }),
    { numRuns: 300 },
  );
});

it('a node group can be deleted from any state, with every operation ended', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 8 }), steps, (count, sequence) => {
      const group = new Simulation(count);
      sequence.forEach((s, i) => run(group, s, i));
      const operation = { id: 'bye', kind: 'node-group.delete', total: 1 };
      take(group, deleteNodeGroup(group.state, { operationId: 'bye', operation }));
      group.settle();
      group.allWell();
      expect(group.state).toMatchObject({ deleted: true, operations: [] });
      expect(group.state.members.size).toBe(0);
      expect(group.of('NodeGroupDeleted')).toHaveLength(1);
    }),
    { numRuns: 200 },
  );
});

it('a node group keeps zones even, whatever is scaled out and in', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 12 }), counts => {
      const group = new Simulation(3, ['a', 'b', 'c']);
      counts.forEach((n, i) => {
        run(group, { do: 'resize', n }, i);
        group.settle();
        const staying = [...group.state.members.values()].filter(m => !m.leaving).map(m => m.zone);
        const sizes = ['a', 'b', 'c'].map(zone => staying.filter(z => z === zone).length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
        if (i % 2 === 0) group.allWell();
      });
    }),
  );
});
