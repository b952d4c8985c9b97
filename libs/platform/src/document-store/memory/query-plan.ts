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
}

const MAX_RANGES = 2000;

function withPoints(ranges: readonly IndexRange[], bound: Bound): readonly IndexRange[] {
  if (bound.kind !== 'points') return ranges;
  return ranges.flatMap(({ prefix }) => bound.points.map(point => ({ prefix: [...prefix, point ?? null] })));
}

function rangesOf(index: OrderedIndex, bounds: Bounds): { ranges: readonly IndexRange[]; depth: number } {
  let ranges: readonly IndexRange[] = [{ prefix: [] }];
  let depth = 0;
  for (const path of index.paths) {
    const bound = bounds.get(path);
    if (bound === undefined) break;
    if (bound.kind === 'interval') {
      if (index.multiple) break;
      const { low, high } = bound;
      return { ranges: ranges.map(range => ({ ...range, low, high })), depth };
    }
    if (ranges.length * bound.points.length > MAX_RANGES) break;
    ranges = withPoints(ranges, bound);
    depth += 1;
  }
  return { ranges, depth };
}

/** How many fields of the sort the index serves when read from `depth` on, and in which direction. */
function servedSort(index: OrderedIndex, depth: number, sort: Sort): { sorted: number; direction: 1 | -1 } {
  const fixed = new Set(index.paths.slice(0, depth));
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
  const ordered = ranges.length === 1 && !index.multiple;
  return { index, ranges, cost, ...(ordered ? servedSort(index, depth, sort) : { sorted: 0, direction: 1 as const }) };
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
export function* candidates({ index, ranges, direction }: QueryPlan): Generator<StoredDocument> {
  const seen = index.multiple ? new Set<string>() : undefined;
  for (const range of ranges) {
    for (const document of index.scan(range, direction)) {
      if (seen?.has(document._id)) continue;
      seen?.add(document._id);
      yield document;
    }
  }
}
