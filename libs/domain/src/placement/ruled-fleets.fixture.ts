import fc from 'fast-check';
import { FILTERS } from './filters/index.js';
import type { AffinityRule, NodeView, PlacementRequest, SpreadRule } from './model.js';
import { NodeTable } from './node-table.js';
import { node } from './placement.fixture.js';

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
/** At most 6 nodes with everything that placements change. */
export const nodes = fc
  .array(
    fc.record({
      zone: fc.constantFrom('a', 'b'),
      rack: fc.constantFrom('1', '2', '3'),
      ready: fc.constantFrom(true, true, true, false),
      cpus: fc.integer({ min: 0, max: 3 }),
      held: fc.array(held, { maxLength: 2 }),
      hostPorts: fc.constantFrom([], [{ port: 80, protocol: 'tcp' as const }]),
      use: fc.constantFrom({ cpu: 0.2 }, { cpu: 0.9 }, { cpu: 0.5, memory: 0.1 }, {}),
      softTaints: fc.constantFrom([], [], [{ key: 'old', effect: 'PreferNoSchedule' as const }]),
    }),
    { maxLength: 6 },
  )
  .map(list =>
    list.map(({ cpus, rack, ...rest }, i) =>
      node({ ...rest, id: `n${i}`, name: `n${i}`, labels: { rack }, allocated: { cpus, memoryMb: 0 } }),
    ),
  );
/** What requests can ask for beside room. */
export const shape = fc.record(
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

/** The unit of a topology that a node belongs to. */
export const domain = (view: NodeView, key: string): string | undefined =>
  key === 'node' ? view.id : key === 'zone' ? view.zone : view.labels['rack'];

/** How many containers of a unit count for the spread of the request: those of its set, or all without a set. */
export const countIn = (
  views: readonly NodeView[],
  { setId }: PlacementRequest,
  key: string,
  name: string | undefined,
): number =>
  views
    .filter(view => domain(view, key) === name)
    .flatMap(view =>
      setId === undefined
        ? [view.containers]
        : (view.held ?? []).filter(({ kind }) => kind.setId === setId).map(entry => entry.count),
    )
    .reduce((sum, n) => sum + n, 0);

/** The code of the first filter that refuses each node, by the definition. */
export function firstRefusals(views: readonly NodeView[], wanted: PlacementRequest): (string | undefined)[] {
  const table = new NodeTable(views);
  const asked = FILTERS.filter(filter => filter.applies(wanted));
  const spreads = (wanted.spread ?? []).filter(({ mode = 'hard' }) => mode === 'hard');
  const before = asked.filter(
    ({ code }) => !['SPREAD_EXCEEDED', 'HOST_PORT_TAKEN', 'INSUFFICIENT_ROOM'].includes(code),
  );
  const firstOf = (at: number, list = asked): string | undefined =>
    list.find(filter => filter.refuses(wanted, table)(at))?.code;
  const open = views.filter((_, at) => firstOf(at, before) === undefined);
  const count = (key: string, name: string | undefined): number => countIn(views, wanted, key, name);
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
export function after(view: NodeView, r: PlacementRequest): NodeView {
  const { setId, affinity, hostPorts = [] } = r;
  const kind = { ...(setId && { setId }), labels: {}, ...(affinity && { affinity }) };
  return {
    ...view,
    containers: view.containers + 1,
    allocated: { cpus: view.allocated.cpus + r.cpus, memoryMb: view.allocated.memoryMb + r.memoryMb },
    held: [...(view.held ?? []), ...(setId !== undefined || affinity ? [{ kind, count: 1 }] : [])],
    hostPorts: [...(view.hostPorts ?? []), ...hostPorts],
  };
}
