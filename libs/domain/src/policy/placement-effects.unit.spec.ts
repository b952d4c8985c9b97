import type { NodeView, PlacementRequest } from '../placement/index.js';
import { NodeTable, place } from '../placement/index.js';
import { node as empty, request } from '../placement/placement.fixture.js';
import { effectivePolicies } from './effective-policies.js';
import { placementRulesOf } from './placement-rules.js';
import { attached } from './policies.fixture.js';
import { policyEffects } from './policy-effects.js';
import type { AffinityRule, PlacementProperties } from './policy-types.js';

const node = (id: string, more: Partial<NodeView> = {}): NodeView => empty({ id, name: `name-of-${id}`, ...more });

/** Places a number of containers of one set by the policies, and returns how many are on each node. */
function counts(
  rules: Pick<PlacementRequest, 'placement' | 'spread' | 'affinity'>,
  nodes: readonly NodeView[] | NodeTable,
  { times = 1, ...more }: Partial<PlacementRequest> & { readonly times?: number } = {},
): Readonly<Record<string, number>> {
  const wanted = Array.from({ length: times }, (_, i) =>
    request({ id: `r${i}`, setId: 's', labels: {}, ...more, ...rules }),
  );
  const found: Record<string, number> = {};
  for (const decision of place(nodes, wanted, undefined, 7)) {
    const at = decision.placed ? decision.nodeId : 'none';
    found[at] = (found[at] ?? 0) + 1;
  }
  return found;
}

const placementRules = (properties: PlacementProperties) =>
  placementRulesOf(effectivePolicies([attached({ id: 'x', properties })]));
const by = (
  properties: PlacementProperties,
  nodes: readonly NodeView[] | NodeTable,
  more: Parameters<typeof counts>[2] = {},
) => counts(placementRules(properties), nodes, more);
const affinityBy = (rule: AffinityRule, nodes: readonly NodeView[], more: Parameters<typeof counts>[2] = {}) => {
  const policy = attached({ id: 'x', type: 'affinity', properties: { rules: [rule] } });
  return counts(placementRulesOf(effectivePolicies([policy])), nodes, more);
};

/** The first node is preferred without a policy: it has more room. */
const [big, small] = [
  node('big', { capacity: { cpus: 64, memoryMb: 64_000 }, zone: 'a', region: 'eu' }),
  node('small', { zone: 'b', region: 'us' }),
];
const both = [big, small];
const holding = (
  id: string,
  kind: { readonly setId?: string; readonly labels?: Readonly<Record<string, string>> },
  count = 1,
) => node(id, { held: [{ kind: { labels: {}, ...kind }, count }], containers: count, zone: id });
const half = { cpus: 2, memoryMb: 4000 };
const soft = { mode: 'soft' } as const;

/** A scorer alone, whose weight the defaults do not have. */
const alone = (scorer: string): PlacementProperties => ({
  scorers: { leastCpu: 0, leastMemory: 0, spread: 0, affinity: 0, untainted: 0, [scorer]: 1 },
});

const effects: Readonly<Record<string, () => void>> = {
  'placement nodes[].node': () => {
    expect(by({ nodes: [{ node: 'small' }] }, both)).toEqual({ small: 1 });
    expect(by({ nodes: [{ node: 'name-of-small' }] }, both)).toEqual({ small: 1 });
  },
  'placement nodes[].weight': () => {
    expect(by({ nodes: [{ node: 'big', weight: 0 }] }, both)).toEqual({ small: 1 });
    const nodes = [
      { node: 'big', weight: 100 },
      { node: 'small', weight: 300 },
    ];
    expect(by({ nodes }, both, { times: 4 })).toEqual({ big: 1, small: 3 });
  },
  'placement zones[].name': () => expect(by({ zones: [{ name: 'b' }] }, both)).toEqual({ small: 1 }),
  'placement zones[].region': () => {
    const twins = [node('x', { zone: 'a', region: 'eu' }), node('y', { zone: 'a', region: 'us' })];
    expect(by({ zones: [{ name: 'a', region: 'us' }] }, twins, { times: 2 })).toEqual({ y: 2 });
  },
  'placement zones[].weight': () => {
    expect(by({ zones: [{ name: 'a', weight: 0 }] }, both)).toEqual({ small: 1 });
    const zones = [{ name: 'a' }, { name: 'b', weight: 300 }];
    expect(by({ zones }, both, { times: 4 })).toEqual({ big: 1, small: 3 });
  },
  'placement regions[].name': () => expect(by({ regions: [{ name: 'us' }] }, both)).toEqual({ small: 1 }),
  'placement regions[].weight': () => {
    expect(by({ regions: [{ name: 'eu', weight: 0 }] }, both)).toEqual({ small: 1 });
    const regions = [{ name: 'eu' }, { name: 'us', weight: 300 }];
    expect(by({ regions }, both, { times: 4 })).toEqual({ big: 1, small: 3 });
  },
  'placement strict': () => {
    const zones = [{ name: 'b' }];
    expect(by({ zones, strict: true }, both, { times: 5 })).toEqual({ small: 4, none: 1 });
    expect(by({ zones, strict: false }, both, { times: 5 })).toEqual({ small: 4, big: 1 });
  },
  'placement scorers.leastCpu': () => {
    const nodes = [
      node('a', { allocated: { cpus: 1.5, memoryMb: 0 } }),
      node('b', { allocated: { cpus: 0, memoryMb: 6000 } }),
    ];
    expect([by({}, nodes), by(alone('leastCpu'), nodes)]).toEqual([{ a: 1 }, { b: 1 }]);
  },
  'placement scorers.leastMemory': () => {
    const nodes = [
      node('a', { allocated: { cpus: 0, memoryMb: 3000 } }),
      node('b', { allocated: { cpus: 3, memoryMb: 0 } }),
    ];
    expect([by({}, nodes), by(alone('leastMemory'), nodes)]).toEqual([{ a: 1 }, { b: 1 }]);
  },
  'placement scorers.leastCpuUse': () => {
    const nodes = [node('a', { use: { cpu: 0.9 } }), node('b', { use: { cpu: 0.1 }, allocated: half })];
    expect([by({}, nodes), by(alone('leastCpuUse'), nodes)]).toEqual([{ a: 1 }, { b: 1 }]);
  },
  'placement scorers.leastMemoryUse': () => {
    const nodes = [node('a', { use: { memory: 0.9 } }), node('b', { use: { memory: 0.1 }, allocated: half })];
    expect([by({}, nodes), by(alone('leastMemoryUse'), nodes)]).toEqual([{ a: 1 }, { b: 1 }]);
  },
  'placement maxCpuUse': () => {
    const nodes = [node('a', { use: { cpu: 0.9 } }), node('b', { use: { cpu: 0.5 }, allocated: half })];
    expect([by({ maxCpuUse: 0.95 }, nodes), by({ maxCpuUse: 0.8 }, nodes)]).toEqual([{ a: 1 }, { b: 1 }]);
  },
  'placement maxMemoryUse': () => {
    const nodes = [node('a', { use: { memory: 0.9 } }), node('b', { use: { memory: 0.5 }, allocated: half })];
    expect([by({ maxMemoryUse: 0.95 }, nodes), by({ maxMemoryUse: 0.8 }, nodes)]).toEqual([{ a: 1 }, { b: 1 }]);
  },
  'placement windowSeconds': () => {
    const table = new NodeTable([node('a')]);
    table.usedOn = (_id, windowSeconds) => ({ cpuCores: windowSeconds > 60 ? 1 : 4, memoryMb: 0 });
    const over = (windowSeconds: number) => by({ maxCpuUse: 0.8, windowSeconds }, table);
    expect([over(60), over(300)]).toEqual([{ none: 1 }, { a: 1 }]);
  },
  'placement whenUnknown': () => {
    const unknown = (whenUnknown: 'allow' | 'refuse') => by({ maxCpuUse: 0.8, whenUnknown }, [node('a')]);
    expect([unknown('allow'), unknown('refuse')]).toEqual([{ a: 1 }, { none: 1 }]);
  },
  'placement scorers.spread': () => {
    const nodes = [holding('a', { setId: 's' }, 1), node('b', { zone: 'b', allocated: { cpus: 3, memoryMb: 7000 } })];
    expect([by({ scorers: { spread: 0 } }, nodes), by(alone('spread'), nodes)]).toEqual([{ a: 1 }, { b: 1 }]);
  },
  'placement scorers.pack': () => {
    const nodes = [node('a'), node('b', { allocated: { cpus: 2, memoryMb: 4000 } })];
    expect([by({}, nodes), by(alone('pack'), nodes)]).toEqual([{ a: 1 }, { b: 1 }]);
  },
  'placement scorers.random': () => {
    expect(
      Object.keys(
        by(alone('random'), [big, node('small', { capacity: { cpus: 60, memoryMb: 60_000 } })], { times: 20 }),
      ),
    ).toHaveLength(2);
  },
  'placement scorers.affinity': () => {
    const more = { allocated: { cpus: 1, memoryMb: 2000 } };
    const nodes = [node('a'), { ...holding('b', { setId: 'other' }), ...more }];
    const rules = {
      ...placementRulesOf(
        effectivePolicies([
          attached({
            id: 'x',
            type: 'affinity',
            properties: { rules: [{ kind: 'together', by: 'node', with: { set: 'other' }, ...soft }] },
          }),
        ]),
      ),
    };
    const weighted = (affinity: number) => counts({ ...rules, ...placementRules({ scorers: { affinity } }) }, nodes);
    expect([weighted(0), weighted(100)]).toEqual([{ a: 1 }, { b: 1 }]);
  },
  'placement scorers.untainted': () => {
    const taint = { key: 'a', value: 'b', effect: 'PreferNoSchedule' } as const;
    const nodes = [node('a', { softTaints: [taint] }), node('b', { allocated: { cpus: 1, memoryMb: 2000 } })];
    expect([by(alone('leastCpu'), nodes), by({ scorers: { untainted: 100 } }, nodes)]).toEqual([{ a: 1 }, { b: 1 }]);
  },
  'placement spread[].by': () => {
    const nodes = [big, node('big2', { zone: 'a', capacity: big.capacity }), small];
    expect(by({ spread: [{ by: 'zone', mode: 'hard' }] }, nodes, { times: 4 })).toMatchObject({ small: 2 });
  },
  'placement spread[].mode': () => {
    const spread = (mode: 'hard' | 'soft') => by({ spread: [{ by: 'node', mode }] }, both, { times: 10 });
    expect([spread('hard'), spread('soft')]).toEqual([
      { big: 5, small: 4, none: 1 },
      { big: 6, small: 4 },
    ]);
  },
  'placement spread[].maxSkew': () => {
    const spread = (maxSkew: number) => by({ spread: [{ by: 'node', mode: 'hard', maxSkew }] }, both, { times: 12 });
    expect([spread(1)['none'], spread(3)['none']]).toEqual([3, 1]);
  },
  'affinity rules[].kind': () => {
    const nodes = [node('a'), holding('b', { setId: 's' })];
    expect(affinityBy({ kind: 'together', by: 'node' }, nodes)).toEqual({ b: 1 });
    expect(affinityBy({ kind: 'apart', by: 'node' }, nodes, { times: 2 })).toEqual({ a: 1, none: 1 });
  },
  'affinity rules[].by': () => {
    const nodes = [node('a', { zone: 'z' }), node('b', { zone: 'z' })];
    expect(affinityBy({ kind: 'apart', by: 'node' }, nodes, { times: 2 })).toEqual({ a: 1, b: 1 });
    expect(affinityBy({ kind: 'apart', by: 'zone' }, nodes, { times: 2 })).toMatchObject({ none: 1 });
  },
  'affinity rules[].with.set': () => {
    const nodes = [node('a'), holding('b', { setId: 'other' })];
    expect(affinityBy({ kind: 'together', by: 'node', with: { set: 'other' } }, nodes)).toEqual({ b: 1 });
  },
  'affinity rules[].with.labels': () => {
    const nodes = [node('a'), holding('b', { labels: { app: 'db' } })];
    expect(affinityBy({ kind: 'together', by: 'node', with: { labels: { app: 'db' } } }, nodes)).toEqual({ b: 1 });
  },
  'affinity rules[].mode': () => {
    const nodes = [holding('b', { setId: 's' })];
    expect(affinityBy({ kind: 'apart', by: 'node' }, nodes)).toEqual({ none: 1 });
    expect(affinityBy({ kind: 'apart', by: 'node', ...soft }, nodes)).toEqual({ b: 1 });
  },
  'affinity rules[].weight': () => {
    const nodes = [holding('a', { setId: 'x' }), holding('b', { setId: 'y' })];
    const rule = (set: string, weight: number) =>
      ({ kind: 'together', by: 'node', with: { set }, weight, ...soft }) as const;
    const towards = (x: number, y: number) => {
      const properties = { rules: [rule('x', x), rule('y', y)] };
      return counts(placementRulesOf(effectivePolicies([attached({ id: 'p', type: 'affinity', properties })])), nodes);
    };
    expect([towards(100, 1), towards(1, 100)]).toEqual([{ a: 1 }, { b: 1 }]);
  },
  'affinity rules[].maxPer': () => {
    expect(affinityBy({ kind: 'apart', by: 'node', maxPer: 2 }, [node('a')], { times: 3 })).toEqual({ a: 2, none: 1 });
  },
};

describe('the effects of policies on where containers are placed', () => {
  const types = ['placement', 'affinity'] as const;
  const listed = types.flatMap(type => Object.keys(policyEffects[type]).map(member => `${type} ${member}`));

  it('each member that takes effect has a test of its effect', () => {
    expect(Object.keys(effects).sort()).toEqual([...listed].sort());
  });

  it.each(Object.keys(effects))('%s has an effect', effect => effects[effect]?.());

  it('what one policy allows alone holds for another too, that lists other places', () => {
    const policies = [
      attached({ id: 'a', properties: { zones: [{ name: 'a' }] } }),
      attached({ id: 'b', target: 'containerSet', properties: { zones: [{ name: 'b' }] } }),
    ];
    expect(counts(placementRulesOf(effectivePolicies(policies)), both)).toEqual({ none: 1 });
  });

  it('of several limits the lowest holds', () => {
    const limited = (id: string, maxCpuUse: number, target?: 'containerSet') =>
      attached({ id, properties: { maxCpuUse }, ...(target && { target }) });
    const policies = [limited('a', 0.5), limited('b', 0.9, 'containerSet')];
    expect(placementRulesOf(effectivePolicies(policies)).placement).toMatchObject({ maxCpuUse: 0.5 });
  });

  it('without policies there is nothing to follow', () => expect(placementRulesOf({})).toEqual({}));
});
