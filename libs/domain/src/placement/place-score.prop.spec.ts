import fc from 'fast-check';
import type { AffinityRule, NodeView, PlacementRequest, ScorerName } from './model.js';
import { place } from './place.js';
import { request } from './placement.fixture.js';
import { after, countIn, domain, firstRefusals, nodes, shape } from './ruled-fleets.fixture.js';

type Weights = { readonly [name in Exclude<ScorerName, 'random'>]: number };
type Parts = { readonly [name in keyof Weights]: number | undefined };

const weight = fc.constantFrom(0, 0.5, 1, 3);
const weights: fc.Arbitrary<Weights> = fc.record({
  leastCpu: fc.constantFrom(0.5, 1),
  leastMemory: weight,
  leastCpuUse: weight,
  leastMemoryUse: weight,
  spread: weight,
  pack: weight,
  affinity: weight,
  untainted: weight,
});
const tolerations = fc.constantFrom<PlacementRequest['tolerations']>(undefined, undefined, [{ key: 'old' }]);

const CPUS = 4;
const MEMORY_MB = 8000;

/** How many containers of the unit of a node a rule is about. */
function near(views: readonly NodeView[], at: NodeView, wanted: PlacementRequest, rule: AffinityRule): number {
  const name = rule.with && 'set' in rule.with ? rule.with.set : wanted.setId;
  return views
    .filter(view => domain(view, rule.by) === domain(at, rule.by))
    .flatMap(({ held = [] }) => held.filter(({ kind }) => name !== undefined && kind.setId === name))
    .reduce((sum, { count }) => sum + count, 0);
}

/** Each scorer by its definition; undefined where it is the same for all nodes. */
function partsOf(views: readonly NodeView[], at: NodeView, wanted: PlacementRequest): Parts {
  const all = views.reduce((sum, { id }) => sum + countIn(views, wanted, 'node', id), 0);
  const cpu = (CPUS - at.allocated.cpus - wanted.cpus) / CPUS;
  const memory = (MEMORY_MB - at.allocated.memoryMb - wanted.memoryMb) / MEMORY_MB;
  const soft = (wanted.affinity ?? []).filter(({ mode }) => mode === 'soft');
  const met = soft.filter(rule => {
    const there = near(views, at, wanted, rule);
    return rule.kind === 'together' ? there > 0 : there < (rule.maxPer ?? 1);
  });
  const avoided = (wanted.tolerations ?? []).length > 0 ? 0 : (at.softTaints ?? []).length;
  return {
    leastCpu: cpu,
    leastMemory: memory,
    leastCpuUse: at.use?.cpu === undefined ? 0.5 : 1 - at.use.cpu,
    leastMemoryUse: at.use?.memory === undefined ? 0.5 : 1 - at.use.memory,
    spread:
      0.5 / (1 + countIn(views, wanted, 'node', at.id)) +
      0.5 * (1 - countIn(views, wanted, 'zone', at.zone) / Math.max(1, all)),
    pack: 1 - (cpu + memory) / 2,
    affinity: soft.length === 0 ? undefined : met.length / soft.length,
    untainted: views.some(({ softTaints = [] }) => softTaints.length > 0) ? 1 / (1 + avoided) : undefined,
  };
}

function scoreOf(parts: Parts, given: Weights): number {
  const counted = (Object.keys(parts) as (keyof Weights)[]).filter(name => parts[name] !== undefined);
  const sum = counted.reduce((total, name) => total + given[name], 0);
  return counted.reduce((total, name) => total + (given[name] * (parts[name] ?? 0)) / sum, 0);
}

/** The least filled units of each soft spread, which come before any score. */
function preferred(views: readonly NodeView[], able: readonly NodeView[], wanted: PlacementRequest) {
  return (wanted.spread ?? [])
    .filter(({ mode }) => mode === 'soft')
    .reduce((left, { by }) => {
      const filled = (view: NodeView): number => countIn(views, wanted, by, domain(view, by));
      const least = Math.min(...left.map(filled));
      return left.filter(view => filled(view) === least);
    }, able);
}

describe('place with rules and weights of scorers', () => {
  it('chooses a node of the greatest score by the definition of each scorer, after what is preferred before scores', () => {
    let placed = 0;
    fc.assert(
      fc.property(nodes, shape, tolerations, weights, fc.nat(), (initial, over, tolerated, given, seed) => {
        let views: NodeView[] = initial;
        const { placement, volumes: _bound, ...rest } = over;
        const asked = request({
          memoryMb: 100,
          cpus: 0.5,
          ...rest,
          placement: { ...placement, scorers: given },
          ...(tolerated && { tolerations: tolerated }),
        });
        const wanted = Array.from({ length: 4 }, (_, i) => ({ ...asked, id: `r${i}` }));
        for (const decision of place(initial, wanted, undefined, seed)) {
          if (!decision.placed) break;
          const first = firstRefusals(views, asked);
          const able = preferred(
            views,
            views.filter((_, at) => first[at] === undefined),
            asked,
          );
          const scores = new Map(able.map(view => [view.id, scoreOf(partsOf(views, view, asked), given)]));
          const most = Math.max(...scores.values());
          expect(scores.get(decision.nodeId)).toBeCloseTo(most, 6);
          expect(decision.scores[0]?.total).toBeCloseTo(most, 6);
          views = views.map(view => (view.id === decision.nodeId ? after(view, asked) : view));
          placed += 1;
        }
      }),
      { numRuns: 500 },
    );
    expect(placed).toBeGreaterThan(300);
  });
});
