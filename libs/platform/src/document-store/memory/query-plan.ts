import { StoredDocument } from '../document-store.port.js';
import { Bound, Bounds } from './filter-bounds.js';
import { IndexRange, OrderedIndex } from './ordered-index.js';

export type Sort = readonly (readonly [path: string, direction: 1 | -1])[];

/** A way to find the candidates of a query. */
export interface QueryPlan {
  readonly index: OrderedIndex;
  readonly ranges: readonly IndexRange[];
  readonly direction: 1 | -1;
  /** So many leading fields of the sort does the order of the candidates follow. */
  readonly sorted: number;
  /** About how many candidates will be looked at. */
  readonly cost: number;
  /** A document may come more than once. */
  readonly repeats: boolean;
}

const MAX_RANGES = 2000;

function withPoints(ranges: readonly IndexRange[], bound: Bound): readonly IndexRange[] {
  if (bound.kind !== 'points') return ranges;
  return ranges.flatMap(({ prefix }) => bound.points.map(point => ({ prefix: [...prefix, point ?? null] })));
}

/** The parts of an index that a filter leaves; `depth`: so many of its paths are fixed to points in them. */
export function rangesOf(
  index: OrderedIndex,
  bounds: Bounds,
): { ranges: readonly IndexRange[]; depth: number; interval: boolean } {
  let ranges: readonly IndexRange[] = [{ prefix: [] }];
  let depth = 0;
  for (const path of index.paths) {
    const bound = bounds.get(path);
    if (bound === undefined) break;
    if (bound.kind === 'interval') {
      if (index.isMultiple(depth) && !bound.single) break;
      const { low, high } = bound;
      return { ranges: ranges.map(range => ({ ...range, low, high })), depth, interval: true };
    }
    if (ranges.length * bound.points.length > MAX_RANGES) break;
    ranges = withPoints(ranges, bound);
    depth += 1;
  }
  return { ranges, depth, interval: false };
}

/** How many fields of the sort the index serves when read from `depth` on, and in which direction. */
function servedSort(index: OrderedIndex, depth: number, sort: Sort): { sorted: number; direction: 1 | -1 } {
  // an array that holds the point of the filter may still sort by another of its elements
  const fixed = new Set(index.paths.slice(0, depth).filter((_, place) => !index.isMultiple(place)));
  let direction: 1 | -1 | undefined;
  let at = depth;
  let sorted = 0;
  for (const [path, wanted] of sort) {
    if (!fixed.has(path)) {
      if (index.paths[at] !== path || (direction ?? wanted) !== wanted) break;
      direction = wanted;
      at += 1;
    }
    sorted += 1;
  }
  return { sorted, direction: direction ?? 1 };
}

function planFor(index: OrderedIndex, bounds: Bounds, sort: Sort): QueryPlan {
  const { ranges, depth } = rangesOf(index, bounds);
  const cost = ranges.reduce((sum, range) => sum + index.count(range), 0);
  // within one point of a path with arrays every document comes once
  const once = index.singleFrom <= depth;
  const served = ranges.length === 1 && once ? servedSort(index, depth, sort) : ({ sorted: 0, direction: 1 } as const);
  const repeats = index.singleFrom > 0 && !(once && ranges.length === 1);
  return { index, ranges, cost, repeats, ...served };
}

/** How many of its leading paths say something about this query. */
function useful({ paths }: OrderedIndex, bounds: Bounds, sort: Sort): number {
  const at = paths.findIndex(path => path === '_id' || !(bounds.has(path) || sort.some(([key]) => key === path)));
  return at < 0 ? paths.length : at;
}

/**
 * The indexes worth a look: those whose first two paths are asked for (or all there are of it); else one that begins with what is asked
 * for, rather one that is warm. What is never worth a look is never filled.
 */
export function worthwhile(indexes: readonly OrderedIndex[], bounds: Bounds, sort: Sort): readonly OrderedIndex[] {
  const rated = indexes.map(index => ({ index, use: useful(index, bounds, sort), own: index.paths.length - 1 }));
  const good = rated.filter(({ use, own }) => use > 0 && use >= Math.min(2, own));
  if (good.length > 0) return good.map(({ index }) => index);
  const some = rated.filter(({ use }) => use > 0);
  const chosen = some.find(({ index }) => index.warm) ?? some[0] ?? rated[0];
  return chosen ? [chosen.index] : [];
}

/**
 * Chooses among the indexes: the fewest candidates, or, when the first `needed` in order are enough, the index that follows
 * the sort, whose cost is estimated as if matches were spread evenly.
 */
export function choosePlan(
  indexes: readonly OrderedIndex[],
  bounds: Bounds,
  sort: Sort,
  needed: number,
): QueryPlan | undefined {
  const plans = indexes.map(index => planFor(index, bounds, sort));
  const matches = Math.max(1, Math.min(...plans.map(plan => plan.cost)));
  const estimate = (plan: QueryPlan): number => {
    const early = sort.length === 0 || plan.sorted > 0;
    return early ? Math.min(plan.cost, (needed * plan.cost) / matches) : plan.cost + matches;
  };
  const better = (a: QueryPlan, b: QueryPlan): boolean =>
    estimate(a) < estimate(b) || (estimate(a) === estimate(b) && a.sorted > b.sorted);
  return plans.reduce<QueryPlan | undefined>(
    (best, plan) => (best === undefined || better(plan, best) ? plan : best),
    undefined,
  );
}

/** The candidates of a plan, each once. */
export function* candidates({ index, ranges, direction, repeats }: QueryPlan): Generator<StoredDocument> {
  const seen = repeats ? new Set<string>() : undefined;
  for (const range of ranges) {
    for (const document of index.scan(range, direction)) {
      if (seen?.has(document._id)) continue;
      seen?.add(document._id);
      yield document;
    }
  }
}
