import { StoredDocument } from '../document-store.port.js';
import { Bound, FilterBounds } from './filter-bounds.js';
import { IndexRange, OrderedIndex } from './ordered-index.js';

export type Sort = readonly (readonly [path: string, direction: 1 | -1])[];

/** The ranges of an index that contain every match of a filter. */
interface BoundedRanges {
  readonly ranges: readonly IndexRange[];
  /** The number of leading paths that are fixed to points. */
  readonly depth: number;
  /** The number of leading paths that are bounded: those fixed to points, and one by an interval. */
  readonly bounded: number;
  /** Whether a document may be found more than once. */
  readonly repeats: boolean;
}

/** A way to find the candidates of a query. */
interface QueryPlan extends BoundedRanges {
  readonly index: OrderedIndex;
  readonly direction: 1 | -1;
  /** The number of leading fields of the sort whose order the candidates have. */
  readonly sorted: number;
  /** The approximate number of candidates. */
  readonly cost: number;
}

const MAX_RANGES = 2000;

function rangesOf(index: OrderedIndex, { byPath }: FilterBounds): BoundedRanges {
  let ranges: readonly IndexRange[] = [{ prefix: [] }];
  let depth = 0;
  let last: Bound | undefined;
  for (const path of index.paths) {
    last = byPath.get(path);
    if (last?.kind !== 'points' || ranges.length * last.points.length > MAX_RANGES) break;
    const { points } = last;
    ranges = ranges.flatMap(({ prefix }) => points.map(point => ({ prefix: [...prefix, point] })));
    depth += 1;
  }
  // within one point of a multikey path every document has one entry
  const repeats = index.singleFrom > depth || (index.singleFrom > 0 && ranges.length > 1);
  if (last?.kind !== 'interval' || (index.isMultikey(depth) && !last.ofOneElement))
    return { ranges, depth, bounded: depth, repeats };
  const { low, high } = last;
  return { ranges: ranges.map(range => ({ ...range, low, high })), depth, bounded: depth + 1, repeats };
}

const countOf = (index: OrderedIndex, ranges: readonly IndexRange[]): number =>
  ranges.reduce((sum, range) => sum + index.count(range), 0);

/** Returns how many fields of the sort the index serves when it is read from `depth` on, and its direction. */
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
  const { ranges, depth, repeats } = bounded;
  const served = servedSort(index, depth, ranges.length > 1 || repeats ? [] : sort);
  return { ...bounded, index, cost: countOf(index, ranges), ...served };
}

/** Returns the number of leading paths that the filter or the sort names. */
function namedPaths({ paths }: OrderedIndex, { byPath }: FilterBounds, sort: Sort): number {
  const at = paths.findIndex(path => path === '_id' || !(byPath.has(path) || sort.some(([key]) => key === path)));
  return at < 0 ? paths.length : at;
}

/** Whether the first index fixes all that the second one fixes, and more, and serves as much of the sort: it then has no more candidates, in as good an order. */
function surpasses(first: OrderedIndex, second: OrderedIndex, bounds: FilterBounds, sort: Sort): boolean {
  const [one, other] = [rangesOf(first, bounds), rangesOf(second, bounds)];
  const fixed = new Set(first.paths.slice(0, one.depth));
  if (one.ranges.length !== 1 || one.depth <= other.depth) return false;
  if (!second.paths.slice(0, other.bounded).every(path => fixed.has(path))) return false;
  return servedSort(first, one.depth, sort).sorted >= servedSort(second, other.depth, sort).sorted;
}

/**
 * Returns the indexes to consider: those whose first two paths (or the only one) are named by the query, else one whose
 * first path is named, preferably one that is built. None is built that another one surpasses.
 */
export function eligibleIndexes(
  indexes: readonly OrderedIndex[],
  bounds: FilterBounds,
  sort: Sort,
): readonly OrderedIndex[] {
  const named = new Map(indexes.map(index => [index, namedPaths(index, bounds, sort)]));
  const some = indexes.filter(index => named.get(index));
  const good = some.filter(index => (named.get(index) ?? 0) >= Math.min(2, index.paths.length - 1));
  const needed = good.filter(index => index.built || !good.some(other => surpasses(other, index, bounds, sort)));
  return needed.length > 0 ? needed : [...some.filter(index => index.built), ...some, ...indexes].slice(0, 1);
}

/**
 * Returns the plan with the fewest candidates. Where the first `needed` in order suffice, the cost of an index that
 * follows the sort is estimated as if matches were spread evenly.
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
    sort.length === 0 || sorted > 0 ? cost * Math.min(1, needed / matches) : cost + matches;
  const [best] = plans.sort((a, b) => estimate(a) - estimate(b) || b.sorted - a.sorted);
  return best;
}

/** Yields the candidates of a plan for which `matches` holds, each once. */
export function* candidates(
  { index, ranges, direction, repeats }: QueryPlan,
  matches: (document: StoredDocument) => boolean,
): Generator<StoredDocument> {
  const seen = repeats ? new Set<string>() : undefined;
  for (const range of ranges) {
    for (const document of index.scan(range, direction)) {
      if (seen?.has(document._id) || !matches(document)) continue;
      seen?.add(document._id);
      yield document;
    }
  }
}

/** Returns the number of matches where the entries of one index give it; else undefined. */
export function countByIndex(indexes: readonly OrderedIndex[], bounds: FilterBounds): number | undefined {
  if (!bounds.exact) return undefined;
  for (const index of indexes) {
    const { ranges, bounded, repeats } = rangesOf(index, bounds);
    const covered = new Set(index.paths.slice(0, bounded));
    if (!repeats && [...bounds.byPath.keys()].every(path => covered.has(path))) return countOf(index, ranges);
  }
  return undefined;
}
