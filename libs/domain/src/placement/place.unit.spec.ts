import { DEFAULT_PLACEMENT_POLICY } from './filters/index.js';
import type { NodeView, Placed, PlacementDecision } from './model.js';
import { place } from './place.js';
import { node, request } from './placement.fixture.js';

const named = (id: string, over: Partial<NodeView> = {}): NodeView => node({ id, name: id, ...over });
const requests = (count: number, over = {}) =>
  Array.from({ length: count }, (_, i) => request({ id: `r${i}`, ...over }));
const only = (weights: Partial<typeof DEFAULT_PLACEMENT_POLICY.weights>) => ({
  ...DEFAULT_PLACEMENT_POLICY,
  weights: { leastCpu: 0, leastMemory: 0, spread: 0, ...weights },
});
const where = (decisions: readonly PlacementDecision[]) => decisions.map(d => (d.placed ? d.nodeId : undefined));

it('the remedy of a refused request names no spread that only a closed zone would exceed', () => {
  const held = [{ kind: { setId: 's', labels: {} }, count: 1 }];
  const taken = { allocated: { cpus: 4, memoryMb: 8000 }, containers: 4 };
  const nodes = [
    node({
      id: 'a',
      name: 'a',
      zone: 'a',
      ready: false,
      schedulable: false,
      taints: [{ key: 'gpu', effect: 'NoSchedule' }],
    }),
    node({ ...taken, id: 'b', name: 'b', zone: 'b', held }),
  ];
  const [decision] = place(nodes, [request({ setId: 's', spread: [{ by: 'zone' }] })]);
  expect(decision).toMatchObject({ placed: false, remedy: { nodeId: 'b', codes: ['INSUFFICIENT_ROOM'] } });
});

it('the remedy of a refused request names no node that leaves for good', () => {
  const leaving = node({ id: 'a', name: 'a', ready: false, leaving: true });
  const wanted = [request({ avoid: ['a'] })];
  expect(place([leaving], wanted)[0]).toMatchObject({
    placed: false,
    remedy: { codes: [], sentence: expect.stringMatching(/^Add a node/) },
  });
  const crowded = node({ id: 'b', name: 'b', zone: 'b', ready: false, schedulable: false });
  expect(place([leaving, crowded], wanted)[0]).toMatchObject({ remedy: { nodeId: 'b' } });
});

describe('place', () => {
  it('chooses the node with more free resources and explains it with the best nodes', () => {
    const nodes = [named('a', { allocated: { cpus: 2, memoryMb: 0 } }), named('b'), named('c', { ready: false })];
    const [decision] = place(nodes, [request()], only({ leastCpu: 1 }), 7);
    expect(decision).toEqual({
      placed: true,
      requestId: 'r',
      nodeId: 'b',
      scores: [
        { nodeId: 'b', total: 0.75, parts: { leastCpu: 0.75 } },
        { nodeId: 'a', total: 0.25, parts: { leastCpu: 0.25 } },
      ],
      refusals: [{ code: 'NODE_NOT_READY', count: 1, sentence: 'The node is not ready.' }],
      seed: 7,
      policy: 'default',
    });
  });

  it.each([
    ['leastMemory', named('a', { allocated: { cpus: 0, memoryMb: 1000 } })],
    ['leastCpu', named('a', { allocated: { cpus: 1, memoryMb: 0 } })],
    ['spread', named('a', { containers: 1 })],
  ])('scores by %s', (scorer, used) => {
    for (const seed of [0, 1, 2, 3]) {
      expect(where(place([used, named('b')], [request()], only({ [scorer]: 1 }), seed))).toEqual(['b']);
    }
  });

  it('spreads containers over zones before it spreads them over the nodes of a zone', () => {
    const nodes = [named('a1', { zone: 'a', containers: 9 }), named('a2', { zone: 'a' }), named('b1', { zone: 'b' })];
    expect(where(place(nodes, [request()], only({ spread: 1 })))).toEqual(['b1']);
    const even = ['a1', 'a2', 'b1', 'b2'].map(id => named(id, { zone: id.charAt(0) }));
    expect(where(place(even, requests(4), only({ spread: 1 }))).sort()).toEqual(['a1', 'a2', 'b1', 'b2']);
  });

  it('never reserves resources twice, and reports what is missing when none are left', () => {
    const decisions = place([named('a'), named('b')], requests(9));
    expect(where(decisions).filter(id => id === 'a')).toHaveLength(4);
    expect(where(decisions).filter(id => id === 'b')).toHaveLength(4);
    expect(decisions[8]).toMatchObject({
      placed: false,
      unschedulable: 'None of 2 nodes can take the request.',
      refusals: [{ code: 'INSUFFICIENT_ROOM', count: 2 }],
      remedy: { codes: ['INSUFFICIENT_ROOM'], sentence: 'Free 1 CPUs on node a.' },
    });
  });

  it('proposes the smallest change as remedy', () => {
    const nodes = [
      named('a', { ready: false, schedulable: false }),
      named('b', { schedulable: false }),
      named('c', { zone: 'z', ready: false }),
    ];
    const [decision] = place(nodes, [request()]);
    expect(decision).toMatchObject({
      remedy: { nodeId: 'b', codes: ['NODE_NOT_SCHEDULABLE'], sentence: 'Make node b schedulable again.' },
    });
    expect(place([], [request()])[0]).toMatchObject({
      unschedulable: 'There is no node.',
      remedy: { codes: [], sentence: 'Add a node with at least 1 CPUs and 1000 MB.' },
    });
  });

  it('breaks ties by the seed, in the same way for the same seed', () => {
    const nodes = Array.from({ length: 20 }, (_, i) => named(`n${i}`));
    const chosen = Array.from({ length: 50 }, (_, seed) => where(place(nodes, [request()], undefined, seed))[0]);
    expect(new Set(chosen).size).toBeGreaterThan(8);
    expect(Array.from({ length: 50 }, (_, seed) => where(place(nodes, [request()], undefined, seed))[0])).toEqual(
      chosen,
    );
    expect(where(place([...nodes].reverse(), [request()], undefined, 3))[0]).toBe(chosen[3]);
  });

  it('ignores a filter that the policy does not list', () => {
    const policy = { ...DEFAULT_PLACEMENT_POLICY, name: 'no-ready', filters: ['INSUFFICIENT_ROOM' as const] };
    expect(place([named('a', { ready: false })], [request()], policy)[0]).toMatchObject({
      nodeId: 'a',
      policy: 'no-ready',
    });
  });

  it('returns decisions in the order of the requests, whatever their shapes', () => {
    const mixed = requests(10).map((r, i) => ({ ...r, cpus: i % 2 === 0 ? 0.1 : 0.2 }));
    const decisions = place([named('a')], mixed) as Placed[];
    expect(decisions.map(d => d.requestId)).toEqual(mixed.map(r => r.id));
  });
});
