import type { PlacementRequest } from '../placement/index.js';
import { request } from '../placement/placement.fixture.js';
import { growNodeGroups } from './grow-node-groups.js';
import { costOf, type ScaledGroup } from './node-group-autoscaling.js';
import { group, NOW, place } from './node-groups.fixture.js';

const CASES = 500;
const MOST = 3;

const taint = { key: 'dedicated', value: 'yes', effect: 'NoSchedule' } as const;

interface Case {
  readonly groups: readonly ScaledGroup[];
  readonly wanted: readonly PlacementRequest[];
}

/** Two or three groups of several sizes, labels, taints and zones, and up to six requests. */
function caseOf(seed: number): Case {
  let state = (seed * 2_654_435_761) >>> 0;
  const below = (n: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
  const groups = Array.from({ length: 2 + below(2) }, (_, i) =>
    group({
      id: `g${i}`,
      maxCount: MOST,
      cpus: [2, 4, 8][below(3)] ?? 4,
      ...(below(3) === 0 ? { labels: { disk: 'ssd' } } : {}),
      ...(below(4) === 0 ? { taints: [taint] } : {}),
      ...(below(3) === 0 ? { zones: ['a', 'b'] } : {}),
    }),
  );
  const wanted = Array.from({ length: 1 + below(6) }, (_, i) =>
    request({
      id: `w${i}`,
      cpus: [0.5, 1, 2, 3][below(4)] ?? 1,
      memoryMb: [500, 2000, 4000][below(3)] ?? 500,
      ...(below(4) === 0 ? { nodeSelector: { disk: 'ssd' } } : {}),
      ...(below(3) === 0 ? { tolerations: [taint] } : {}),
      ...(below(5) === 0 ? { zone: 'a' } : {}),
    }),
  );
  return { groups, wanted };
}

/** Returns the cost of the cheapest counts of the groups with which everything has a place; undefined where there are none. */
function cheapest({ groups, wanted }: Case): number | undefined {
  let best: number | undefined;
  const total = (MOST + 1) ** groups.length;
  for (let code = 0; code < total; code += 1) {
    const counts = groups.map((_, i) => Math.floor(code / (MOST + 1) ** i) % (MOST + 1));
    const cost = groups.reduce((sum, each, i) => sum + costOf(each) * (counts[i] ?? 0), 0);
    if (best !== undefined && cost >= best) continue;
    const nodes = groups.flatMap((each, i) => Array.from({ length: counts[i] ?? 0 }, (_, n) => each.nextNode(n)));
    if (place(nodes, wanted).every(({ placed }) => placed)) best = cost;
  }
  return best;
}

it('growing from zero costs at most 1.02 times the optimum over 500 cases, and leaves nothing waiting for which brute force finds a place', () => {
  let [cases, stuck, cost, optimum] = [0, 0, 0, 0];
  for (let seed = 1; cases < CASES; seed += 1) {
    const given = caseOf(seed);
    const least = cheapest(given);
    if (least === undefined) continue;
    cases += 1;
    const { groups, wanted } = given;
    const { proposals, left } = growNodeGroups({ now: NOW, nodes: [], waiting: wanted, groups, place });
    if (left.length > 0) {
      stuck += 1;
      continue;
    }
    optimum += least;
    for (const { groupId, nodes } of proposals) {
      const grown = groups.find(({ id }) => id === groupId);
      if (grown) cost += costOf(grown) * nodes;
    }
  }
  expect(cost / optimum).toBeGreaterThanOrEqual(1);
  expect(cost / optimum).toBeLessThanOrEqual(1.02);
  expect(stuck).toBe(0);
});
