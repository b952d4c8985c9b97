import { NodeTable } from './node-table.js';
import type { NodeView, PlacementRequest } from './model.js';
import { place } from './place.js';
import { shareSurplus } from './shares.js';
import { node, request } from './placement.fixture.js';

const big = { cpus: 100, memoryMb: 1e6 };
const nodes: readonly NodeView[] = ['a1', 'a2', 'b1', 'c1'].map(id =>
  node({ id, name: id, zone: id.charAt(0), region: id.startsWith('c') ? 'r2' : 'r1', capacity: big }),
);
const many = (count: number, over: Partial<PlacementRequest>) =>
  Array.from({ length: count }, (_, i) => request({ id: `r${i}`, setId: 's', ...over }));
function countsBy(views: readonly NodeView[], wanted: readonly PlacementRequest[], key: (view: NodeView) => string) {
  const counts: Record<string, number> = {};
  for (const decision of place(views, wanted)) {
    const view = decision.placed && views.find(({ id }) => id === decision.nodeId);
    if (view) counts[key(view)] = (counts[key(view)] ?? 0) + 1;
  }
  return counts;
}
const zone = (view: NodeView) => view.zone ?? '';

describe('shares of a placement policy', () => {
  it('zones get their shares of the members', () => {
    const placement = {
      zones: [
        { name: 'a', weight: 70 },
        { name: 'b', weight: 20 },
        { name: 'c', weight: 10 },
      ],
    };
    expect(countsBy(nodes, many(10, { placement }), zone)).toEqual({ a: 7, b: 2, c: 1 });
  });

  it('regions are shared first, then the zones in them, then the nodes', () => {
    const placement = {
      regions: [
        { name: 'r1', weight: 3 },
        { name: 'r2', weight: 1 },
      ],
      zones: [{ name: 'a', weight: 1 }, { name: 'b', weight: 2 }, { name: 'c' }],
      nodes: [{ node: 'a1', weight: 1 }, { node: 'a2', weight: 0 }, { node: 'b1' }, { node: 'c1' }],
    };
    expect(countsBy(nodes, many(12, { placement }), view => view.id)).toEqual({ a1: 3, b1: 6, c1: 3 });
  });

  it('new members go where the count is furthest below the share, before scores; leaving ones do not count', () => {
    const kind = { setId: 's', labels: {} };
    const views = nodes.map(view =>
      view.id === 'a1' ? { ...view, held: [{ kind, count: 3, leaving: 1 }] } : { ...view, containers: 50 },
    );
    const placement = { zones: [{ name: 'a' }, { name: 'b' }] };
    expect(countsBy(views, many(2, { placement }), zone)).toEqual({ b: 2 });
    expect(countsBy(views, many(6, { placement }), zone)).toEqual({ a: 2, b: 4 });
  });

  it('the shares are those of the members after the change', () => {
    const views = nodes.map(view =>
      view.id === 'a1' ? { ...view, held: [{ kind: { setId: 's', labels: {} }, count: 2 }] } : view,
    );
    const zones = [
      { name: 'a', weight: 3 },
      { name: 'b', weight: 1 },
    ];
    expect(countsBy(views, many(1, { placement: { zones } }), zone)).toEqual({ b: 1 });
    expect(countsBy(views, many(1, { placement: { zones }, members: 12 }), zone)).toEqual({ a: 1 });
  });

  it('places that are not listed are used when the listed ones are full, unless the list is strict', () => {
    const views = nodes.map(view => (view.zone === 'a' ? { ...view, capacity: { cpus: 1, memoryMb: 1e6 } } : view));
    const zones = [{ name: 'a' }];
    expect(
      countsBy(views, many(4, { placement: { zones, strict: false } }), view => (zone(view) === 'a' ? 'a' : 'other')),
    ).toEqual({ a: 2, other: 2 });
    expect(countsBy(views, many(4, { placement: { zones } }), zone)).toEqual({ a: 2 });
  });
});

describe('spread of a request', () => {
  it('soft spread fills the least filled domain first, before scores', () => {
    const views = nodes.map(view => (view.zone === 'a' ? view : { ...view, allocated: { cpus: 90, memoryMb: 0 } }));
    const spread = [{ by: 'zone', mode: 'soft' } as const];
    expect(countsBy(views, many(6, { spread }), zone)).toEqual({ a: 2, b: 2, c: 2 });
  });

  it('hard spread keeps the skew, also by nodes and by a label, and leaves the rest without a place', () => {
    const views = nodes.map(view => ({ ...view, labels: { rack: view.id === 'a1' ? '1' : '2' } }));
    const small = views.map(view => (view.id === 'b1' ? { ...view, capacity: { cpus: 1, memoryMb: 1e6 } } : view));
    expect(countsBy(small, many(12, { spread: [{ by: 'zone' }] }), zone)).toEqual({ a: 2, b: 1, c: 2 });
    expect(countsBy(small, many(12, { spread: [{ by: 'node', maxSkew: 2 }] }), view => view.id)).toEqual({
      a1: 3,
      a2: 3,
      b1: 1,
      c1: 3,
    });
    const racks = countsBy(views, many(8, { spread: [{ by: 'label:rack' }] }), view => view.labels['rack'] ?? '');
    expect(racks).toEqual({ 1: 4, 2: 4 });
  });
});

it('shareSurplus counts what is above the share of each place, and all where nothing is listed', () => {
  const held = (count: number) => ({ held: [{ kind: { setId: 's', labels: {} }, count }], containers: count });
  const nodes = [
    node({ id: 'a', zone: 'a', ...held(4) }),
    node({ id: 'b', zone: 'b' }),
    node({ id: 'c', zone: 'c', ...held(1) }),
  ];
  const zones = [{ name: 'a' }, { name: 'b', weight: 300 }];
  const surplus = shareSurplus(request({ setId: 's', placement: { zones } }), new NodeTable(nodes));
  const above = ['a', 'b', 'c', 'none'].map(id => {
    const place = surplus?.placeOf(id);
    return place === undefined ? undefined : surplus?.above(place);
  });
  expect(above).toEqual([3, 0, Infinity, undefined]);
  expect(shareSurplus(request({ setId: 's' }), new NodeTable(nodes))).toBeUndefined();
});
