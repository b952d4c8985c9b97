import fc from 'fast-check';
import { FILTERS } from './filters/index.js';
import type { AffinityRule, NodeView, PlacementRequest, SpreadRule } from './model.js';
import { NodeTable } from './node-table.js';
import { place } from './place.js';
import { node, request } from './placement.fixture.js';

/** At most 6 nodes and 6 containers with everything that placements change: compared with the filters asked one by one. */
const by = fc.constantFrom('node', 'zone', 'label:rack') as fc.Arbitrary<AffinityRule['by']>;
const set = fc.constantFrom('s', 't');
const rule = fc.record({
  kind: fc.constantFrom('together', 'apart') as fc.Arbitrary<AffinityRule['kind']>,
  by,
  with: fc.option(
    set.map(name => ({ set: name })),
    { nil: undefined },
  ),
  mode: fc.constantFrom('hard', 'hard', 'soft') as fc.Arbitrary<'hard' | 'soft'>,
  maxPer: fc.integer({ min: 1, max: 2 }),
});
const spread = fc.record({
  by,
  maxSkew: fc.integer({ min: 1, max: 2 }),
  mode: fc.constantFrom('hard', 'soft') as fc.Arbitrary<'hard' | 'soft'>,
});
const held = fc.record({
  kind: fc.record({ setId: set, labels: fc.constant({}), affinity: fc.array(rule, { maxLength: 1 }) }),
  count: fc.integer({ min: 1, max: 2 }),
});
const nodes = fc
  .array(
    fc.record({
      zone: fc.constantFrom('a', 'b'),
      rack: fc.constantFrom('1', '2', '3'),
      ready: fc.constantFrom(true, true, true, false),
      cpus: fc.integer({ min: 0, max: 3 }),
      held: fc.array(held, { maxLength: 2 }),
      hostPorts: fc.constantFrom([], [{ port: 80, protocol: 'tcp' as const }]),
      use: fc.constantFrom({ cpu: 0.2 }, { cpu: 0.9 }, {}),
    }),
    { maxLength: 6 },
  )
  .map(list =>
    list.map(({ cpus, rack, ...rest }, i) =>
      node({ ...rest, id: `n${i}`, name: `n${i}`, labels: { rack }, allocated: { cpus, memoryMb: 0 } }),
    ),
  );
const shape = fc.record(
  {
    setId: set,
    affinity: fc.array(rule, { maxLength: 2 }) as fc.Arbitrary<AffinityRule[]>,
    spread: fc.array(spread, { maxLength: 2 }) as fc.Arbitrary<SpreadRule[]>,
    hostPorts: fc.constant([{ port: 80, protocol: 'tcp' as const }]),
    volumes: fc.constant([{ name: 'v', driver: 'local', scope: 'node' as const }]),
    placement: fc.constantFrom<PlacementRequest['placement']>(
      { maxCpuUse: 0.5 },
      { maxCpuUse: 0.5, whenUnknown: 'refuse' },
      { zones: [{ name: 'a', weight: 0 }] },
    ),
  },
  { requiredKeys: [] },
);

/** The code of the first filter that refuses each node, by the definition. */
function firstRefusals(views: readonly NodeView[], wanted: PlacementRequest): (string | undefined)[] {
  const table = new NodeTable(views);
  const asked = FILTERS.filter(filter => filter.applies(wanted));
  const spreads = (wanted.spread ?? []).filter(({ mode = 'hard' }) => mode === 'hard');
  const before = asked.filter(
    ({ code }) => !['SPREAD_EXCEEDED', 'HOST_PORT_TAKEN', 'INSUFFICIENT_ROOM'].includes(code),
  );
  const firstOf = (at: number, list = asked): string | undefined =>
    list.find(filter => filter.refuses(wanted, table)(at))?.code;
  const open = views.filter((_, at) => firstOf(at, before) === undefined);
  const domain = (view: NodeView, key: string): string | undefined =>
    key === 'node' ? view.id : key === 'zone' ? view.zone : view.labels['rack'];
  const count = (key: string, name: string | undefined): number =>
    views
      .filter(view => domain(view, key) === name)
      .flatMap(view =>
        wanted.setId === undefined
          ? [view.containers]
          : (view.held ?? []).filter(({ kind }) => kind.setId === wanted.setId).map(entry => entry.count),
      )
      .reduce((sum, n) => sum + n, 0);
  const exceeds = (view: NodeView): boolean =>
    spreads.some(({ by: key, maxSkew = 1 }) => {
      const least = Math.min(...open.map(other => count(key, domain(other, key))));
      return count(key, domain(view, key)) + 1 - least > maxSkew;
    });
  const last = asked.filter(({ code }) => code === 'HOST_PORT_TAKEN' || code === 'INSUFFICIENT_ROOM');
  return views.map(
    (view, at) => firstOf(at, before) ?? (exceeds(view) ? 'SPREAD_EXCEEDED' : undefined) ?? firstOf(at, last),
  );
}

/** The view after the request was placed there. */
function after(view: NodeView, r: PlacementRequest): NodeView {
  const { setId, affinity, hostPorts = [] } = r;
  const kind = { ...(setId && { setId }), labels: {}, ...(affinity && { affinity }) };
  return {
    ...view,
    containers: view.containers + 1,
    allocated: { ...view.allocated, cpus: view.allocated.cpus + r.cpus },
    held: [...(view.held ?? []), ...(setId !== undefined || affinity ? [{ kind, count: 1 }] : [])],
    hostPorts: [...(view.hostPorts ?? []), ...hostPorts],
  };
}

describe('place with rules that placements change', () => {
  it('refuses a request exactly when every node is refused by a filter, and counts each node at the first that does', () => {
    fc.assert(
      fc.property(nodes, shape, fc.integer({ min: 1, max: 6 }), fc.nat(), (initial, over, number, seed) => {
        let views: NodeView[] = initial;
        let bound: string | undefined;
        const asked = request({ memoryMb: 100, ...over });
        const wanted = Array.from({ length: number }, (_, i) => ({ ...asked, id: `r${i}` }));
        for (const [i, decision] of place(initial, wanted, undefined, seed).entries()) {
          const volumes = (asked.volumes ?? []).map(volume => ({ ...volume, ...(bound && { nodeId: bound }) }));
          const now = { ...wanted[i]!, ...(asked.volumes && { volumes }) };
          const first = firstRefusals(views, now);
          const expected = new Map<string, number>();
          for (const code of first) if (code !== undefined) expected.set(code, (expected.get(code) ?? 0) + 1);
          expect(new Map(decision.refusals.map(({ code, count }) => [code, count]))).toEqual(expected);
          expect(decision.placed).toBe(first.includes(undefined));
          if (!decision.placed) continue;
          const at = views.findIndex(({ id }) => id === decision.nodeId);
          expect(first[at]).toBeUndefined();
          bound ??= asked.volumes && decision.nodeId;
          views = views.map((view, n) => (n === at ? after(view, now) : view));
        }
      }),
      { numRuns: 1500 },
    );
  });
});
