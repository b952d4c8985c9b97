import fc from 'fast-check';
import type { NodeView, PlacementRequest } from '../placement/index.js';
import { node, request } from '../placement/placement.fixture.js';
import { growNodeGroups } from './grow-node-groups.js';
import { restMs, type ScaledGroup } from './node-group-autoscaling.js';
import { group, NOW, place, waiting } from './node-groups.fixture.js';

const grown = (groups: readonly ScaledGroup[], wanted: readonly PlacementRequest[], nodes: readonly NodeView[] = []) =>
  growNodeGroups({ now: NOW, nodes, waiting: wanted, groups, place });
const proposals = (...given: Parameters<typeof grown>) => grown(...given).proposals.map(p => [p.groupId, p.nodes]);
const codes = (...given: Parameters<typeof grown>) => grown(...given).refusals.map(({ code }) => code);

describe('growing node groups', () => {
  it('adds as many nodes as what waits needs, also from zero', () => {
    expect(proposals([group()], waiting(9))).toEqual([['g', 3]]);
    expect(grown([group()], waiting(9)).proposals[0]?.places).toHaveLength(9);
    expect(proposals([group()], [])).toEqual([]);
  });

  it('adds nothing for what has a place on nodes there or upcoming', () => {
    expect(proposals([group({ count: 1 })], waiting(4), [node({ nodeGroupId: 'g' })])).toEqual([]);
    expect(codes([group({ count: 1 })], waiting(4), [node({ nodeGroupId: 'g' })])).toEqual(['UPCOMING']);
    expect(proposals([group({ count: 1 })], waiting(5), [node({ nodeGroupId: 'g' })])).toEqual([['g', 1]]);
  });

  it('knows the labels, taints and zones of nodes that are not there yet', () => {
    const plain = group({ id: 'a' });
    const gpu = group({ id: 'b', labels: { gpu: 'yes' }, auto: { cost: 100 } });
    expect(proposals([plain, gpu], waiting(1, { nodeSelector: { gpu: 'yes' } }))).toEqual([['b', 1]]);
    const tainted = group({ id: 'c', taints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }] });
    expect(proposals([tainted], waiting(1))).toEqual([]);
    expect(codes([tainted], waiting(1))).toEqual(['WOULD_NOT_FIT']);
    const zoned = group({ zones: ['x', 'y'] });
    expect(proposals([zoned], waiting(2, { zone: 'y' }))).toEqual([['g', 2]]);
  });

  it('prefers the higher priority, then more for the cost, then the name', () => {
    const [a, b] = [group({ id: 'a' }), group({ id: 'b', auto: { priority: 200 } })];
    expect(proposals([a, b], waiting(1))).toEqual([['b', 1]]);
    const cheap = group({ id: 'c', auto: { cost: 1 } });
    expect(proposals([a, cheap], waiting(1))).toEqual([['c', 1]]);
    expect(proposals([group({ id: 'z' }), a], waiting(1))).toEqual([['a', 1]]);
    expect(proposals([group({ id: 'big', cpus: 16 }), a], waiting(1))).toEqual([['a', 1]]);
  });

  it('exchanges no node of a higher priority for a cheaper one, and names everything that has a place', () => {
    const dear = group({ id: 'a', auto: { priority: 200, cost: 100 } });
    const cheap = group({ id: 'b', auto: { cost: 1 } });
    expect(proposals([dear, cheap], waiting(9))).toEqual([['a', 3]]);
    // three small nodes place as much as one large node and one small one, and cost more
    const [small, large] = [
      group({ id: 'a', cpus: 2, auto: { cost: 2 } }),
      group({ id: 'b', cpus: 4, auto: { cost: 3 } }),
    ];
    const made = grown([small, large], waiting(6)).proposals;
    expect(made.reduce((sum, { groupId, nodes }) => sum + nodes * (groupId === 'a' ? 2 : 3), 0)).toBe(5);
    expect(made.flatMap(({ places }) => places).sort()).toEqual(waiting(6).map(({ id }) => id));
  });

  it('takes the next best for what is left, and says why the others stay', () => {
    const small = group({ id: 'a', maxCount: 1, auto: { priority: 200 } });
    expect(proposals([small, group({ id: 'b' })], waiting(8))).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
    expect(codes([group({ maxCount: 0 })], waiting(1))).toEqual(['AT_MAX']);
    expect(codes([group({ restsUntil: NOW + 1 })], waiting(1))).toEqual(['BACKOFF']);
    expect(codes([group({ paused: true })], waiting(1))).toEqual(['PAUSED']);
    expect(codes([group({ quotaLeft: 0 })], waiting(1))).toEqual(['QUOTA']);
    expect(codes([group({ auto: { enabled: false } })], waiting(1))).toEqual(['DISABLED']);
    const other = group({ id: 'b' });
    expect(proposals([group({ id: 'a', restsUntil: NOW + 1, auto: { priority: 900 } }), other], waiting(1))).toEqual([
      ['b', 1],
    ]);
    expect(grown([group({ maxCount: 1 })], waiting(6)).left).toHaveLength(2);
    expect(proposals([group({ auto: { maxStep: 2 } })], waiting(40))).toEqual([['g', 2]]);
  });

  it('keeps headroom free', () => {
    const spare = group({ auto: { headroom: { cpus: 1, memoryMb: 100, containers: 4 } } });
    expect(proposals([spare], [])).toEqual([['g', 1]]);
    expect(proposals([spare], waiting(2))).toEqual([['g', 2]]);
  });

  it('containers that must be apart get a node each', () => {
    const apart = { setId: 's', labels: {}, affinity: [{ kind: 'apart', by: 'node' } as const] };
    expect(proposals([group()], waiting(3, apart))).toEqual([['g', 3]]);
    const there = node({
      nodeGroupId: 'g',
      held: [{ kind: { setId: 's', labels: {}, affinity: apart.affinity }, count: 1 }],
    });
    expect(proposals([group({ count: 1 })], waiting(1, apart), [there])).toEqual([['g', 1]]);
  });

  it('rests longer with each failure for lack of capacity', () => {
    expect([1, 2, 3, 6, 20].map(restMs)).toEqual([60_000, 120_000, 240_000, 1_800_000, 1_800_000]);
  });

  it('what it proposes is enough, and a second look proposes nothing more for it', () => {
    const sizes = fc.array(
      fc.record({ cpus: fc.constantFrom(0.5, 1, 2, 3, 5), memoryMb: fc.constantFrom(100, 2000, 5000) }),
      { minLength: 1, maxLength: 12 },
    );
    // the nodes of the second group take what had a place on those of the first
    const displacing = [
      [3, 100],
      [0.5, 5000],
      [5, 2000],
      [0.5, 100],
      [0.5, 5000],
      [5, 100],
      [3, 100],
      [3, 5000],
      [5, 2000],
      [0.5, 100],
    ].map(([own = 0, memoryMb = 0]) => ({ cpus: own, memoryMb }));
    fc.assert(
      fc.property(sizes, fc.constantFrom(2, 4, 8), (all, cpus) => {
        const groups = [group({ id: 'a' }), group({ id: 'b', cpus, maxCount: 3 })];
        const wanted = all.map((resources, i) => request({ id: `w${i}`, ...resources }));
        const { proposals: made, left } = grown(groups, wanted);
        const fresh = made.flatMap(({ groupId, nodes }) => {
          const of = groups.find(({ id }) => id === groupId);
          return Array.from({ length: nodes }, (_, n) => of?.nextNode(n) ?? node());
        });
        const without = place(fresh, wanted).filter(({ placed }) => !placed);
        expect(without.map(({ requestId }) => requestId).sort()).toEqual([...left].sort());
        for (const { groupId, nodes } of made) expect(nodes).toBeLessThanOrEqual(groupId === 'b' ? 3 : 10);
        const grownGroups = groups.map(g => ({
          ...g,
          count: made.find(({ groupId }) => groupId === g.id)?.nodes ?? 0,
        }));
        const after = grown(grownGroups, wanted, fresh).proposals.flatMap(({ places }) => places);
        expect(after.filter(id => !left.includes(id))).toEqual([]);
      }),
      { numRuns: 200, examples: [[displacing, 8]] },
    );
  });
});
