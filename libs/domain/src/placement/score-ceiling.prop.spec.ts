import fc from 'fast-check';
import type { NodeView } from './model.js';
import { milli, NodeTable } from './node-table.js';
import { place } from './place.js';
import { node, request } from './placement.fixture.js';

const anyNode = fc.record({
  id: fc.nat({ max: 59 }).map(n => `n${n}`),
  capacity: fc.record({ cpus: fc.constantFrom(0, 2, 8, 64), memoryMb: fc.constantFrom(0, 1_000, 32_000, 256_000) }),
  allocated: fc.record({ cpus: fc.nat({ max: 8_000 }).map(n => n / 1_000), memoryMb: fc.nat({ max: 32_000 }) }),
  zone: fc.constantFrom('a', 'b'),
  containers: fc.nat({ max: 9 }),
});
const change = fc.oneof(
  { weight: 9, arbitrary: anyNode },
  anyNode.map(({ id }) => id),
);
const room = fc.record({ cpus: fc.constantFrom(0, 0.1, 1, 4), memoryMb: fc.constantFrom(0, 100, 4_000) });
const batches = fc.array(
  fc.record({
    changes: fc.array(change, { minLength: 20, maxLength: 80 }),
    requests: fc.array(room, { minLength: 1, maxLength: 4 }),
  }),
  { minLength: 1, maxLength: 4 },
);
const weights = fc.record({
  leastCpu: fc.constantFrom(0, 1, 3),
  leastMemory: fc.constantFrom(0.5, 1),
  spread: fc.constantFrom(0, 1, 5),
});

const share = (free: number, capacity: number): number => (capacity > 0 ? free / capacity : 0);

describe('few requests for a table of many different nodes that is kept while nodes change', () => {
  it('get a node of the greatest score, although most nodes are not scored', () => {
    fc.assert(
      fc.property(batches, weights, fc.nat(), (all, { leastCpu, leastMemory, spread }, seed) => {
        const table = new NodeTable();
        const views = new Map<string, NodeView>();
        const sum = leastCpu + leastMemory + spread;
        const filters = ['INSUFFICIENT_ROOM'] as const;
        const policy = { name: 'p', filters, weights: { leastCpu, leastMemory, spread } };
        for (const { changes, requests } of all) {
          for (const changed of changes)
            if (typeof changed === 'string') {
              table.delete(changed);
              views.delete(changed);
            } else {
              table.set(node(changed));
              views.set(changed.id, node(changed));
            }
          const wanted = requests.map((each, i) => request({ ...each, id: `r${i}` }));
          for (const one of wanted) {
            // a batch of one, so that each decision is compared with the same nodes
            const [decision] = place(table, [one], policy, seed);
            const containers = [...views.values()].reduce((n, view) => n + view.containers, 0);
            const inZone = (zone: string | undefined): number =>
              [...views.values()].reduce((n, view) => n + (view.zone === zone ? view.containers : 0), 0);
            const scores = [...views.values()].flatMap(({ id, capacity, allocated, zone, containers: held }) => {
              const cpu = milli(capacity.cpus) - milli(allocated.cpus) - milli(one.cpus);
              const memory = capacity.memoryMb - allocated.memoryMb - one.memoryMb;
              if (cpu < 0 || memory < 0) return [];
              const apart = 0.5 / (1 + held) + 0.5 * (1 - inZone(zone) / Math.max(1, containers));
              const parts =
                leastCpu * share(cpu, milli(capacity.cpus)) +
                leastMemory * share(memory, capacity.memoryMb) +
                spread * apart;
              return [{ id, score: parts / sum }];
            });
            expect(decision?.placed).toBe(scores.length > 0);
            if (!decision?.placed) continue;
            const chosen = scores.find(({ id }) => id === decision.nodeId);
            expect(chosen?.score).toBeCloseTo(Math.max(...scores.map(({ score }) => score)), 8);
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});
