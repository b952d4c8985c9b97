import { StoredDocument } from '../document-store.port.js';
import { Bound, FilterBounds } from './filter-bounds.js';
import { IndexRange, OrderedIndex } from './ordered-index.js';

export type Sort = readonly (readonly [path: string, direction: 1 | -1])[];

/** A way to find the candidates of a query. */
interface QueryPlan {
  readonly index: OrderedIndex;
  readonly ranges: readonly IndexRange[];
  readonly direction: 1 | -1;
  /** The number of leading fields of the sort whose order the candidates have. */
  readonly sorted: number;
  /** The approximate number of candidates. */
  readonly cost: number;
  /** Whether a document may be found more than once. */
  readonly repeats: boolean;
}

const MAX_RANGES = 2000;

/** The ranges of an index that bounds leave. */
interface BoundedRanges {
  readonly ranges: readonly IndexRange[];
  /** The number of leading paths that are fixed to points. */
  readonly depth: number;
  /** The number of leading paths that are bounded: those fixed to points, and one by an interval. */
  readonly bounded: number;
}

function rangesOf(index: OrderedIndex, { byPath }: FilterBounds): BoundedRanges {
  let ranges: readonly IndexRange[] = [{ prefix: [] }];
  let depth = 0;
  for (const path of index.paths) {
    const bound = byPath.get(path);
    if (bound === undefined) break;
    if (bound.kind === 'interval') {
      if (index.isMultikey(depth) && !bound.ofOneElement) break;
      const { low, high } = bound;
      return { ranges: ranges.map(range => ({ ...range, low, high })), depth, bounded: depth + 1 };
    }
    if (ranges.length * bound.points.length > MAX_RANGES) break;
    ranges = withPoints(ranges, bound);
    depth += 1;
  }
  return { ranges, depth, bounded: depth };
}

const withPoints = (ranges: readonly IndexRange[], { points }: Extract<Bound, { kind: 'points' }>): IndexRange[] =>
  ranges.flatMap(({ prefix }) => points.map(point => ({ prefix: [...prefix, point] })));

const countOf = (index: OrderedIndex, ranges: readonly IndexRange[]): number =>
  ranges.reduce((sum, range) => sum + index.count(range), 0);

/** Whether the ranges hold each document once: within one point of a multikey path every document has one entry. */
const holdsOnce = (index: OrderedIndex, { ranges, depth }: BoundedRanges): boolean =>
  index.singleFrom === 0 || (index.singleFrom <= depth && ranges.length === 1);

/** The number of fields of the sort that the index serves when it is read from `depth` on, and in which direction. */
function servedSort(index: OrderedIndex, depth: number, sort: Sort): { sorted: number; direction: 1 | -1 } {
  // an array that holds the point of the filter may still sort by another of its elements
  const fixed = new Set(index.paths.slice(0, depth).filter((_, place) => !index.isMultikey(place)));
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

function planFor(index: OrderedIndex, bounds: FilterBounds, sort: Sort): QueryPlan {
  const bounded = rangesOf(index, bounds);
  const { ranges, depth } = bounded;
  const once = holdsOnce(index, bounded);
  const served = ranges.length === 1 && once ? servedSort(index, depth, sort) : { sorted: 0, direction: 1 as const };
  return { index, ranges, cost: countOf(index, ranges), repeats: !once, ...served };
}

/** The number of leading paths that the filter or the sort names. */
function namedPaths({ paths }: OrderedIndex, { byPath }: FilterBounds, sort: Sort): number {
  const at = paths.findIndex(path => path === '_id' || !(byPath.has(path) || sort.some(([key]) => key === path)));
  return at < 0 ? paths.length : at;
}

/**
 * Returns the indexes to consider: those whose first two paths (or the only one) are named by the query; else one whose first path
 * is named, preferably one that is built. The others need not be built.
 */
export function eligibleIndexes(
  indexes: readonly OrderedIndex[],
  bounds: FilterBounds,
  sort: Sort,
): readonly OrderedIndex[] {
  const rated = indexes.map(index => ({ index, named: namedPaths(index, bounds, sort), own: index.paths.length - 1 }));
  const good = rated.filter(({ named, own }) => named > 0 && named >= Math.min(2, own));
  if (good.length > 0) return good.map(({ index }) => index);
  const some = rated.filter(({ named }) => named > 0);
  const chosen = some.find(({ index }) => index.built) ?? some[0] ?? rated[0];
  return chosen ? [chosen.index] : [];
}

/**
 * Returns the plan with the fewest candidates, or, when the first `needed` in order suffice, with an index that follows the sort;
 * its cost is estimated as if matches were spread evenly.
 */
export function choosePlan(
  indexes: readonly OrderedIndex[],
  bounds: FilterBounds,
  sort: Sort,
  needed: number,
): QueryPlan | undefined {
  const plans = indexes.map(index => planFor(index, bounds, sort));
  const matches = Math.max(1, Math.min(...plans.map(plan => plan.cost)));
  const estimate = ({ cost, sorted }: QueryPlan): number =>
    sort.length === 0 || sorted > 0 ? Math.min(cost, (needed * cost) / matches) : cost + matches;
  const better = (a: QueryPlan, b: QueryPlan): boolean =>
    estimate(a) < estimate(b) || (estimate(a) === estimate(b) && a.sorted > b.sorted);
  return plans.reduce<QueryPlan | undefined>((best, plan) => (best && !better(plan, best) ? best : plan), undefined);
}

/** Yields the candidates of a plan, each once. */
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

/** Returns the number of matches where the entries of one index give it; else undefined. */
export function countByIndex(indexes: readonly OrderedIndex[], bounds: FilterBounds): number | undefined {
  if (!bounds.exact) return undefined;
  for (const index of indexes) {
    const found = rangesOf(index, bounds);
    const covered = new Set(index.paths.slice(0, found.bounded));
    if (holdsOnce(index, found) && [...bounds.byPath.keys()].every(path => covered.has(path)))
      return countOf(index, found.ranges);
  }
  return undefined;
}
