import type { StoredDocument } from '../document-store.port.js';
import type { Sort } from './query-plan.js';
import { compareValues, sortValue } from './value-order.js';

interface Keyed {
  readonly document: StoredDocument;
  readonly values: readonly unknown[];
}

/** Documents are kept up to this multiple of the wanted number, then the surplus is dropped. */
const SLACK = 4;
const MIN_CAPACITY = 1024;

/**
 * Returns the first `wanted` documents of a sort. The documents have the order of its first `ordered` fields already,
 * so reading ends when no later document can be among the first.
 */
export function topSorted(
  documents: Iterable<StoredDocument>,
  sort: Sort,
  wanted: number,
  ordered: number,
): readonly StoredDocument[] {
  const paths = sort.map(([path, direction]) => [path.split('.'), direction] as const);
  const compare = (a: Keyed, b: Keyed, fields = paths.length): number => {
    for (let at = 0; at < fields; at += 1) {
      const order = compareValues(a.values[at], b.values[at]);
      if (order !== 0) return order * (paths[at]?.[1] ?? 1);
    }
    return 0;
  };
  const firstOf = (some: Keyed[]): Keyed[] => some.sort((a, b) => compare(a, b)).slice(0, wanted);
  const capacity = Math.max(MIN_CAPACITY, wanted * SLACK);
  let kept: Keyed[] = [];
  let added = 0;
  let completing: Keyed | undefined;
  let worst: Keyed | undefined;
  for (const document of documents) {
    const keyed = { document, values: paths.map(([path, direction]) => sortValue(document, path, direction)) };
    if (completing && ordered > 0 && compare(completing, keyed, ordered) < 0) break;
    if (++added === wanted) completing = keyed;
    if (!worst || compare(keyed, worst) < 0) kept.push(keyed);
    if (kept.length < capacity) continue;
    kept = firstOf(kept);
    worst = kept.at(-1);
  }
  return firstOf(kept).map(({ document }) => document);
}
