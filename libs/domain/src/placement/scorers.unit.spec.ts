import { DEFAULT_PLACEMENT_POLICY } from './filters/index.js';
import type { NodeView, PlacementPolicy, PlacementRequest } from './model.js';
import { place } from './place.js';
import { node, request } from './placement.fixture.js';

const named = (id: string, over: Partial<NodeView> = {}): NodeView => node({ id, name: id, ...over });
const only = (weights: PlacementPolicy['weights']): PlacementPolicy => ({ ...DEFAULT_PLACEMENT_POLICY, weights });
const SEEDS = [0, 1, 2, 3, 4, 5];
const preferred = (better: NodeView, worse: NodeView, wanted: PlacementRequest, policy: PlacementPolicy) =>
  SEEDS.map(seed => place([worse, better], [wanted], policy, seed)[0]).map(d => d?.placed && d.nodeId);
const partOf = (view: NodeView, wanted: PlacementRequest, policy: PlacementPolicy) => {
  const [decision] = place([view], [wanted], policy);
  return decision?.placed ? decision.scores[0]?.parts : undefined;
};
const web = { setId: 'web', labels: {} };

describe.each<[keyof PlacementPolicy['weights'], NodeView, NodeView, PlacementRequest, number]>([
  ['leastCpu', named('a'), named('b', { allocated: { cpus: 1, memoryMb: 0 } }), request(), 0.75],
  ['leastMemory', named('a'), named('b', { allocated: { cpus: 0, memoryMb: 1000 } }), request(), 0.875],
  ['leastCpuUse', named('a', { use: { cpu: 0.1 } }), named('b', { use: { cpu: 0.2 } }), request(), 0.9],
  ['leastMemoryUse', named('a', { use: { memory: 0.3 } }), named('b'), request(), 0.7],
  ['pack', named('a', { allocated: { cpus: 2, memoryMb: 0 } }), named('b'), request(), 1 - (0.25 + 0.875) / 2],
  ['spread', named('a', { containers: 0 }), named('b', { containers: 1 }), request(), 1],
  [
    'spread',
    named('a', { containers: 9, held: [{ kind: web, count: 1, leaving: 1 }] }),
    named('b', { held: [{ kind: web, count: 1 }] }),
    request({ setId: 'web' }),
    1,
  ],
  [
    'affinity',
    named('a', { zone: 'z', held: [{ kind: { labels: { app: 'db' } }, count: 1 }] }),
    named('b', { zone: 'y', held: [{ kind: web, count: 1 }] }),
    request({
      setId: 'web',
      affinity: [
        { kind: 'together', by: 'zone', mode: 'soft', weight: 30, with: { labels: { app: 'db' } } },
        { kind: 'apart', by: 'node', mode: 'soft', weight: 10 },
      ],
    }),
    1,
  ],
  [
    'untainted',
    named('a', { softTaints: [{ key: 'old', effect: 'PreferNoSchedule' }] }),
    named('b', {
      softTaints: [
        { key: 'old', effect: 'PreferNoSchedule' },
        { key: 'slow', effect: 'PreferNoSchedule' },
      ],
    }),
    request(),
    0.5,
  ],
])('the scorer %s', (name, better, worse, wanted, part) => {
  it('prefers the better node, and has no effect without a weight', () => {
    expect(preferred(better, worse, wanted, only({ [name]: 1 }))).toEqual(SEEDS.map(() => 'a'));
    expect(new Set(preferred(better, worse, wanted, only({ [name]: 0 }))).size).toBe(2);
  });

  it('reports its part from 0 to 1', () => {
    expect(partOf(better, wanted, only({ [name]: 1 }))?.[name]).toBeCloseTo(part, 9);
  });
});

describe('scorers', () => {
  it('a score is the weighted mean of the parts', () => {
    const view = named('a', { allocated: { cpus: 2, memoryMb: 0 }, use: { cpu: 0.4 } });
    const [decision] = place([view], [request()], only({ leastCpu: 3, leastCpuUse: 1 }));
    expect(decision).toMatchObject({ scores: [{ total: expect.closeTo((3 * 0.25 + 0.6) / 4, 6) }] });
  });

  it('the weights of the placement policies of a request win, scorer by scorer', () => {
    const [full, empty] = [named('a', { allocated: { cpus: 2, memoryMb: 0 } }), named('b')];
    const wanted = request({ placement: { scorers: { leastCpu: 0, pack: 1 } } });
    expect(preferred(full, empty, wanted, only({ leastCpu: 1 }))).toEqual(SEEDS.map(() => 'a'));
  });

  it('soft rules count by their weight', () => {
    const affinity = [
      { kind: 'together', by: 'zone', mode: 'soft', weight: 30, with: { set: 'absent' } },
      { kind: 'apart', by: 'node', mode: 'soft', weight: 10 },
    ] as const;
    expect(partOf(named('a'), request({ setId: 'web', affinity }), only({ affinity: 1 }))).toEqual({ affinity: 0.25 });
  });

  it('an unknown use counts half', () => {
    expect(partOf(named('a'), request(), only({ leastCpuUse: 1 }))).toEqual({ leastCpuUse: 0.5 });
  });

  it('a tolerated soft taint is none', () => {
    const view = named('a', { softTaints: [{ key: 'old', effect: 'PreferNoSchedule' }] });
    expect(partOf(view, request({ tolerations: [{ key: 'old' }] }), only({ untainted: 1 }))).toEqual({ untainted: 1 });
  });

  it('random choices follow from the seed, differ between seeds, and do not send equal requests to one node', () => {
    const nodes = Array.from({ length: 10 }, (_, i) => named(`n${i}`));
    const batch = Array.from({ length: 8 }, (_, i) => request({ id: `r${i}`, cpus: 0.1, memoryMb: 1 }));
    const chosen = (seed: number) => place(nodes, batch, only({ random: 1 }), seed).map(d => d.placed && d.nodeId);
    expect(chosen(1)).toEqual(chosen(1));
    expect(chosen(1)).not.toEqual(chosen(2));
    for (const seed of SEEDS) expect(new Set(chosen(seed)).size).toBeGreaterThan(1);
    expect(new Set(Array.from({ length: 60 }, (_, seed) => chosen(seed)[0])).size).toBeGreaterThan(7);
  });
});
