import { StoredDocument } from '../document-store.port.js';
import { SortedBuckets } from './sorted-buckets.js';
import { compareValues, valuesAt } from './value-order.js';

interface Entry {
  readonly key: readonly unknown[];
  readonly document: StoredDocument;
}

/** Part of an index: keys that begin with `prefix` and whose next value lies between `low` and `high`, both included. */
export interface IndexRange {
  readonly prefix: readonly unknown[];
  readonly low?: unknown;
  readonly high?: unknown;
}

/**
 * Documents ordered by the values of some paths, then by `_id`. A path is multikey once a document has an array there: such a document
 * has one entry for each element.
 */
export class OrderedIndex {
  /** The dotted paths, the closing `_id` included. */
  readonly paths: readonly string[];
  private readonly keys: readonly (readonly string[])[];
  private readonly entries = new SortedBuckets<Entry>((a, b) => compareKeys(a.key, b.key));
  private readonly nested: boolean;
  /** By place among the paths: whether a document has had an array there since the index was built. */
  private multikey: boolean[] = [];
  private isBuilt = false;

  constructor(paths: readonly string[]) {
    this.paths = paths.at(-1) === '_id' ? paths : [...paths, '_id'];
    this.keys = this.paths.map(path => path.split('.'));
    this.nested = this.keys.some(path => path.length > 1);
  }

  /** Whether the index holds the documents. It is built by the first search that it serves. */
  get built(): boolean {
    return this.isBuilt;
  }

  /** The place behind the last multikey path: entries with equal values up to here belong to different documents. */
  get singleFrom(): number {
    return this.multikey.lastIndexOf(true) + 1;
  }

  isMultikey(place: number): boolean {
    return this.multikey[place] ?? false;
  }

  build(documents: readonly StoredDocument[]): void {
    this.isBuilt = true;
    this.multikey = [];
    const keyed: Entry[] = [];
    for (const document of documents) for (const key of this.keysOf(document)) keyed.push({ key, document });
    this.entries.fill(keyed);
  }

  /** Drops all entries until the index is built again. */
  discard(): void {
    this.isBuilt = false;
    this.entries.fill([]);
  }

  /** Replaces the entries of `previous` by those of `next`; either may be absent. */
  change(previous: StoredDocument | undefined, next: StoredDocument | undefined): void {
    if (previous !== undefined && next !== undefined && this.changeInPlace(previous, next)) return;
    if (previous !== undefined)
      for (const key of this.keysOf(previous)) this.entries.remove({ key, document: previous });
    if (next !== undefined) for (const key of this.keysOf(next)) this.entries.add({ key, document: next });
  }

  /** Replaces the one entry of a document whose indexed values are unchanged, as in most changes; false where that does not hold. */
  private changeInPlace(previous: StoredDocument, next: StoredDocument): boolean {
    const [before, ...others] = this.keysOf(previous);
    const [key, ...more] = this.keysOf(next);
    if (before === undefined || key === undefined || others.length > 0 || more.length > 0) return false;
    return compareKeys(before, key) === 0 && this.entries.replace({ key, document: next });
  }

  /** Yields the documents of a range in the order of the index, or in reverse. */
  *scan(range: IndexRange, direction: 1 | -1): Generator<StoredDocument> {
    const { before, after } = probes(range);
    const found =
      direction === 1
        ? this.entries.ascending(before, entry => after(entry) < 0)
        : this.entries.descending(after, entry => before(entry) >= 0);
    for (const entry of found) yield entry.document;
  }

  /** Returns the number of entries of a range. */
  count(range: IndexRange): number {
    const { before, after } = probes(range);
    return this.entries.between(before, after);
  }

  private keysOf(document: StoredDocument): readonly (readonly unknown[])[] {
    return this.plainKey(document) ?? this.everyKey(document);
  }

  /** Returns the one key of a document without arrays at paths that are not nested: a fast path for most documents. */
  private plainKey(document: StoredDocument): readonly (readonly unknown[])[] | undefined {
    if (this.nested) return undefined;
    const key: unknown[] = [];
    for (const path of this.paths) {
      const value = document[path];
      if (Array.isArray(value)) return undefined;
      key.push(value ?? null);
    }
    return [key];
  }

  private everyKey(document: StoredDocument): readonly (readonly unknown[])[] {
    let keys: unknown[][] = [[]];
    for (const [place, path] of this.keys.entries()) {
      const values = valuesAt(document, path).map(value => value ?? null);
      const distinct = values.length > 1 ? [...new Set(values)] : values;
      if (distinct.length > 1) this.multikey[place] = true;
      keys =
        distinct.length === 1
          ? keys.map(key => [...key, distinct[0]])
          : keys.flatMap(key => distinct.map(value => [...key, value]));
    }
    return keys;
  }
}

function compareKeys(a: readonly unknown[], b: readonly unknown[]): number {
  for (let at = 0; at < a.length; at += 1) {
    const order = compareValues(a[at], b[at]);
    if (order !== 0) return order;
  }
  return 0;
}

/** Returns the probes of both ends: `before` is negative below the range, `after` below its upper end. */
function probes({ prefix, low, high }: IndexRange): { before: (e: Entry) => number; after: (e: Entry) => number } {
  const place = (entry: Entry, end: unknown, atEnd: number): number => {
    for (let at = 0; at < prefix.length; at += 1) {
      const order = compareValues(entry.key[at], prefix[at]);
      if (order !== 0) return order;
    }
    return end === undefined ? atEnd : compareValues(entry.key[prefix.length], end) || atEnd;
  };
  return { before: entry => place(entry, low, 0), after: entry => place(entry, high, -1) };
}
