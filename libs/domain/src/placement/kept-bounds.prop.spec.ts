import fc from 'fast-check';
import { BLOCK_OF_NODES } from './least-room.js';
import type { NodeView, PlacementRequest } from './model.js';
import { milli, NodeTable } from './node-table.js';
import { place } from './place.js';
import { node, request } from './placement.fixture.js';
import { LEVELS, type BoundedWeights } from './score-levels.js';

const kind = fc.record({
  capacity: fc.constantFrom({ cpus: 4, memoryMb: 8_000 }, { cpus: 16, memoryMb: 64_000 }, { cpus: 0, memoryMb: 0 }),
  zone: fc.constantFrom('a', 'b'),
  ready: fc.constantFrom(true, true, true, false),
  used: fc.record({ cpu: fc.nat({ max: 100 }), memory: fc.nat({ max: 100 }) }),
  containers: fc.nat({ max: 9 }),
});
type Kind = typeof kind extends fc.Arbitrary<infer T> ? T : never;

function viewOf(index: number, { used, ...rest }: Kind): NodeView {
  const { cpus, memoryMb } = rest.capacity;
  const allocated = { cpus: (cpus * used.cpu) / 100, memoryMb: (memoryMb * used.memory) / 100 };
  return node({ ...rest, id: `n${index}`, name: `n${index}`, allocated });
}

/** Nodes by index, of which most are there from the beginning. An index alone removes its node. */
const NODES = 1_500;
const index = fc.nat({ max: NODES + 100 });
const change = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(index, kind).map(([at, view]) => viewOf(at, view)) },
  index.map(at => `n${at}`),
);
const rounds = fc.array(fc.array(change, { minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 3 });
/** Many nodes are equal when `step` is 0. */
const fleet = fc
  .record({ kinds: fc.array(kind, { minLength: 1, maxLength: 40 }), step: fc.nat({ max: 9 }), isOneZone: fc.boolean() })
  .map(({ kinds, step, isOneZone }) =>
    Array.from({ length: NODES }, (_, at) => {
      const { used, zone, ...rest } = kinds[at % kinds.length]!;
      const cpu = (used.cpu + step * at) % 101;
      return viewOf(at, { ...rest, zone: isOneZone ? 'a' : zone, used: { ...used, cpu } });
    }),
  );
const rooms = fc.array(fc.record({ cpus: fc.constantFrom(0, 0.1, 1, 3), memoryMb: fc.constantFrom(0, 100, 4_000) }), {
  minLength: 1,
  maxLength: 3,
});

const batchOf = (shapes: readonly Pick<PlacementRequest, 'cpus' | 'memoryMb'>[]): PlacementRequest[] =>
  Array.from({ length: 40 }, (_, i) => request({ ...shapes[i % shapes.length], id: `r${i}` }));
/** No node has the label, so that this changes no decision. But domains are not zones, with which all nodes are visited. */
const visitingAll = (batch: readonly PlacementRequest[]): PlacementRequest[] =>
  batch.map(one => ({ ...one, spread: [{ by: 'label:none', mode: 'soft' }] }));

function apply(table: NodeTable, changed: NodeView | string): void {
  if (typeof changed === 'string') table.delete(changed);
  else table.set(changed);
}

const WEIGHTS: readonly BoundedWeights[] = [
  { cpu: 1 / 3, memory: 1 / 3, half: 1 / 6 },
  { cpu: 0.75, memory: 0, half: 0.125 },
];

/** The level of each node by its id, and whether it bounds the score. */
function levelsIn(table: NodeTable, weights: BoundedWeights): Record<string, string> {
  const levels = table.ceilings.levelsOf(weights, table);
  const ceiling = table.ceilings.of(weights);
  const found: Record<string, string> = {};
  for (let zone = 0; zone < table.zoneContainers.length; zone += 1)
    for (let level = 0; level < LEVELS; level += 1)
      for (let at = levels.first(zone, level); at >= 0; at = levels.next(at)) {
        const { id = '', zone: name } = table.views[at] ?? {};
        const isBound = ceiling(at) <= levels.top(level) + 1e-9;
        // a node that is in two lists differs from one that is in one
        found[id] = `${found[id] ?? ''} ${name} ${level} ${isBound}`;
      }
  return found;
}

function blocksWithout(table: NodeTable, cpus: number, memoryMb: number): readonly number[] {
  const blocks = table.views.flatMap((_, at) =>
    (table.freeMilli[at] ?? 0) < milli(cpus) || (table.freeMemory[at] ?? 0) < memoryMb
      ? [Math.floor(at / BLOCK_OF_NODES)]
      : [],
  );
  return [...new Set(blocks)];
}

describe('bounds that a table keeps while its nodes change', () => {
  it('lead to the decisions that are made when all nodes are visited', () => {
    let placed = 0;
    fc.assert(
      fc.property(fleet, rounds, rooms, fc.nat(), (views, all, shapes, seed) => {
        const table = new NodeTable(views);
        const batch = batchOf(shapes);
        for (const changes of all) {
          for (const changed of changes) apply(table, changed);
          const decisions = place(table, batch, undefined, seed);
          expect(decisions).toEqual(place(table, visitingAll(batch), undefined, seed));
          placed += decisions.filter(decision => decision.placed).length;
        }
      }),
      { numRuns: 100 },
    );
    expect(placed).toBeGreaterThan(1_000);
  });

  it('are those of a table that is made from the nodes as they are, whatever was placed', () => {
    fc.assert(
      fc.property(fleet, rounds, rooms, fc.nat(), (views, all, shapes, seed) => {
        const table = new NodeTable(views);
        for (const weights of WEIGHTS) levelsIn(table, weights);
        for (const changes of all) {
          for (const changed of changes) apply(table, changed);
          place(table, batchOf(shapes), undefined, seed);
          const fresh = new NodeTable(table.views);
          for (const weights of WEIGHTS) {
            const found = levelsIn(table, weights);
            expect(found).toEqual(levelsIn(fresh, weights));
            expect(Object.keys(found)).toHaveLength(table.size);
            const levels = table.ceilings.levelsOf(weights, table);
            const counted = table.zoneContainers.map((_, zone) => levels.highest(zone, Infinity));
            expect(counted.reduce((sum, nodes) => sum + nodes, 0)).toBe(table.size);
            expect(Object.values(found).filter(text => !text.endsWith('true'))).toEqual([]);
          }
        }
      }),
      { numRuns: 40 },
    );
  });

  it('name exactly the blocks of nodes in which a node has less than is asked, also while placements take and return room', () => {
    fc.assert(
      fc.property(fleet, rounds, rooms, fc.array(index), (views, all, shapes, taken) => {
        const table = new NodeTable(views);
        const check = (): void => {
          for (const { cpus, memoryMb } of shapes)
            expect(table.leastRoom.blocksWithout(milli(cpus), memoryMb, table)).toEqual(
              blocksWithout(table, cpus, memoryMb),
            );
        };
        for (const changes of all) {
          for (const changed of changes) apply(table, changed);
          check();
          for (const at of taken) table.occupy(at % table.size, 500, request({ memoryMb: 700 }));
          check();
          table.restore(taken.length >> 1);
          check();
          table.restore();
          check();
        }
      }),
      { numRuns: 60 },
    );
  });

  it('are kept for the four sets of weights that were asked for last', () => {
    const table = new NodeTable([node()]);
    const levels = (cpu: number): unknown => table.ceilings.levelsOf({ cpu, memory: 0, half: 0 }, table);
    const [first, second] = [levels(1), levels(0.9)];
    levels(0.8);
    levels(0.7);
    expect(levels(1)).toBe(first);
    levels(0.6);
    expect(levels(1)).toBe(first);
    expect(levels(0.9)).not.toBe(second);
  });
});
