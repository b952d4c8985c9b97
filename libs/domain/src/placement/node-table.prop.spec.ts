import fc from 'fast-check';
import type { Labels, NodeView } from './model.js';
import { NodeTable } from './node-table.js';
import { place } from './place.js';
import { node, request } from './placement.fixture.js';

const view = fc
  .record({
    id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
    zone: fc.constantFrom('x', 'y', undefined),
    ready: fc.boolean(),
    labels: fc.constantFrom<Labels>({}, { disk: 'ssd' }),
    cpus: fc.integer({ min: 0, max: 4 }),
    containers: fc.nat({ max: 5 }),
  })
  .map(({ cpus, zone, ...rest }): NodeView => {
    const { id } = rest;
    return node({ ...rest, name: id, ...(zone && { zone }), allocated: { cpus, memoryMb: 0 } });
  });
const changes = fc.array(fc.oneof(view, fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')), { maxLength: 20 });
const batch = Array.from({ length: 12 }, (_, i) =>
  request({ id: `r${i}`, ...(i % 2 === 0 && { nodeSelector: { disk: 'ssd' } }) }),
);

describe('the table of the nodes', () => {
  it('a table that follows changes decides like one that is made from the nodes as they are', () => {
    fc.assert(
      fc.property(changes, fc.nat(), (list, seed) => {
        const table = new NodeTable();
        const views = new Map<string, NodeView>();
        for (const change of list) {
          if (typeof change === 'string') {
            table.delete(change);
            views.delete(change);
          } else {
            table.set(change);
            views.set(change.id, change);
          }
          expect(place(table, batch, undefined, seed)).toEqual(place([...views.values()], batch, undefined, seed));
        }
      }),
      { numRuns: 100 },
    );
  });

  it('is as before when the decisions of a batch are made', () => {
    const table = new NodeTable([node({ id: 'a' }), node({ id: 'b' })]);
    const first = place(table, batch);
    expect(place(table, batch)).toEqual(first);
    expect([...table.freeMilli.slice(0, 2)]).toEqual([4000, 4000]);
    expect(table.totalContainers).toBe(0);
  });
});
