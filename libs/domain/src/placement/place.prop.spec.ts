import fc from 'fast-check';
import { DEFAULT_PLACEMENT_POLICY } from './filters/index.js';
import type { NodeView } from './model.js';
import { milli } from './node-table.js';
import { place } from './place.js';
import { node, request } from './placement.fixture.js';

const nodes = fc
  .array(
    fc.record({
      zone: fc.constantFrom('a', 'b', 'c'),
      ready: fc.constantFrom(true, true, true, false),
      cpus: fc.integer({ min: 0, max: 3 }),
      memoryMb: fc.integer({ min: 0, max: 4 }).map(n => n * 1000),
      containers: fc.nat({ max: 3 }),
    }),
    { maxLength: 20 },
  )
  .map(list =>
    list.map(({ cpus, memoryMb, ...rest }, i): NodeView =>
      node({ ...rest, id: `n${i}`, name: `n${i}`, allocated: { cpus, memoryMb } }),
    ),
  );
const requests = fc
  .array(fc.record({ cpus: fc.constantFrom(0.1, 0.5, 1), memoryMb: fc.constantFrom(0, 500, 1000) }), { maxLength: 60 })
  .map(list => list.map((room, i) => request({ ...room, id: `r${i}` })));

const shapeOf = (r: { cpus: number; memoryMb: number }): string => `${r.cpus}/${r.memoryMb}`;
const round = (score: number): number => Math.round(score * 2 ** 30) / 2 ** 30;

/** The score of a node by the definition, without any of the engine's structures. */
function naive(views: readonly NodeView[], at: NodeView, wanted: { cpus: number; memoryMb: number }): number {
  const inZone = views.filter(v => v.zone === at.zone).reduce((sum, v) => sum + v.containers, 0);
  const all = views.reduce((sum, v) => sum + v.containers, 0);
  const cpu = (milli(at.capacity.cpus) - milli(at.allocated.cpus) - milli(wanted.cpus)) / milli(at.capacity.cpus);
  const memory = (at.capacity.memoryMb - at.allocated.memoryMb - wanted.memoryMb) / at.capacity.memoryMb;
  const local = (cpu + memory + 0.5 / (1 + at.containers)) / 3;
  return round(local) + round((0.5 * (1 - inZone / Math.max(1, all))) / 3);
}

describe('place for any nodes and requests', () => {
  it('chooses a best node by the definition, within its free resources, and refuses only when none fits', () => {
    fc.assert(
      fc.property(nodes, requests, fc.nat(), (initial, wanted, seed) => {
        let views = initial;
        // One shape at a time, as the engine does it.
        const shapes = [...new Set(wanted.map(shapeOf))];
        const ordered = shapes.flatMap(shape => wanted.filter(r => shapeOf(r) === shape));
        const decisions = new Map(place(initial, wanted, DEFAULT_PLACEMENT_POLICY, seed).map(d => [d.requestId, d]));
        for (const r of ordered) {
          const decision = decisions.get(r.id)!;
          const able = views.filter(
            v =>
              v.ready && milli(v.allocated.cpus) + milli(r.cpus) <= 4000 && v.allocated.memoryMb + r.memoryMb <= 8000,
          );
          expect(decision.placed).toBe(able.length > 0);
          expect(decision.refusals.reduce((sum, { count }) => sum + count, 0)).toBe(views.length - able.length);
          if (!decision.placed) continue;
          const scores = able.map(v => naive(views, v, r)).sort((a, b) => b - a);
          expect(decision.scores[0]!.nodeId).toBe(decision.nodeId);
          expect(able.map(v => v.id)).toContain(decision.nodeId);
          decision.scores.forEach((score, i) => expect(score.total).toBeCloseTo(scores[i]!, 6));
          expect(decision.scores).toHaveLength(Math.min(3, able.length));
          views = views.map(v =>
            v.id !== decision.nodeId
              ? v
              : {
                  ...v,
                  containers: v.containers + 1,
                  allocated: { cpus: v.allocated.cpus + r.cpus, memoryMb: v.allocated.memoryMb + r.memoryMb },
                },
          );
        }
      }),
      { numRuns: 100 },
    );
  });
});
