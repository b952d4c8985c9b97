import fc from 'fast-check';
import type { Decision } from '../kernel/decider.js';
import { Simulation } from './group-simulation.fixture.js';
import { deleteNodeGroup, removeMember, replaceMember, resizeNodeGroup } from './node-group-decider.js';
import type { NodeGroupEvent } from './node-group-events.js';

const step = fc.oneof(
  fc.record({ do: fc.constant('resize' as const), n: fc.integer({ min: 0, max: 12 }) }),
  fc.record({
    do: fc.constantFrom('ready', 'fail', 'full', 'gone', 'remove', 'replace', 'settle'),
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
  if (what === 'resize') return take(group, resizeNodeGroup(group.state, n, operation));
  const member = id === undefined ? undefined : group.state.members.get(id);
  if (id === undefined || !member) return;
  if (what === 'ready' && !member.leaving) group.set(id, { ready: true });
  if (what === 'fail') group.fail(id);
  if (what === 'full') group.set(id, { failed: { class: 'capacity', reason: 'no room' } });
  if (what === 'gone' && member.leaving) group.set(id, { deleted: true });
  if (what === 'remove') take(group, removeMember(group.state, id, operation, true));
  if (what === 'replace') take(group, replaceMember(group.state, id, group.freshId(), operation));
}

it('comes to its count from any state, with every operation ended and nothing more to do', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 8 }), zones, steps, (count, where, story) => {
      const group = new Simulation(count, where);
      story.forEach((s, i) => run(group, s, i));
      group.settle();
      group.allWell();
      expect(group.state.members.size).toBe(group.state.spec?.count);
      expect(group.state).toMatchObject({ status: 'ACTIVE', operations: [], gaveUp: false });
      expect(group.next()).toEqual([]);
      const ordinals = group.of('NodesAdded').flatMap(e => (e.type === 'NodesAdded' ? e.data.nodes : []));
      expect(new Set(ordinals.map(n => n.ordinal)).size).toBe(ordinals.length);
    }),
    { numRuns: 300 },
  );
});

it('goes from any state, with every operation ended', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 8 }), steps, (count, story) => {
      const group = new Simulation(count);
      story.forEach((s, i) => run(group, s, i));
      const operation = { id: 'bye', kind: 'node-group.delete', total: 1 };
      take(group, deleteNodeGroup(group.state, 'bye', operation));
      group.settle();
      group.allWell();
      expect(group.state).toMatchObject({ deleted: true, operations: [] });
      expect(group.state.members.size).toBe(0);
      expect(group.of('NodeGroupDeleted')).toHaveLength(1);
    }),
    { numRuns: 200 },
  );
});

it('keeps zones even, whatever is scaled out and in', () => {
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
