import { StoredDocument } from '../document-store.port.js';
import { SortedBuckets } from './sorted-buckets.js';
import { compareValues, valuesAt } from './value-order.js';

/** The values of a document at the paths of an index. */
type Key = readonly unknown[];

interface Entry {
  readonly key: Key;
  readonly document: StoredDocument;
}

/** The keys that begin with `prefix` and whose next value lies between `low` and `high`, both included. */
export interface IndexRange {
  readonly prefix: readonly unknown[];
  readonly low?: unknown;
  readonly high?: unknown;
}

/**
 * Documents ordered by the values of some paths, then by `_id`. A path is multikey once a document has an array there;
 * such a document has one entry for each element.
 */
export class OrderedIndex {
  /** The dotted paths, the closing `_id` included. */
  readonly paths: readonly string[];
  private readonly steps: readonly (readonly string[])[];
  private readonly isNested: boolean;
  private readonly entries = new SortedBuckets<Entry>((a, b) => compareKeys(a.key, b.key));
  /** By place among the paths: whether a document has had an array there since the index was built. */
  private multikey: boolean[] = [];
  private isBuilt = false;

  constructor(paths: readonly string[]) {
    this.paths = paths.at(-1) === '_id' ? paths : [...paths, '_id'];
    this.steps = this.paths.map(path => path.split('.'));
    this.isNested = this.steps.some(path => path.length > 1);
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

  build(documents: Iterable<StoredDocument>): void {
    this.isBuilt = true;
    this.multikey = [];
    this.entries.fill(Array.from(documents).flatMap(document => this.entriesOf(document)));
  }

  /** Drops all entries until the index is built again. */
  discard(): void {
    this.isBuilt = false;
    this.entries.fill([]);
  }

  /** Replaces the entries of `previous` by those of `next`; either may be absent. */
  change(previous: StoredDocument | undefined, next: StoredDocument | undefined): void {
    const before = previous ? this.entriesOf(previous) : [];
    const after = next ? this.entriesOf(next) : [];
    const [old, added] = [before[0], after[0]];
    const hasSameKey = old && added && before.length + after.length === 2 && compareKeys(old.key, added.key) === 0;
    if (!hasSameKey) for (const entry of before) this.entries.remove(entry);
    for (const entry of after) this.entries.put(entry);
  }

  /** Yields the documents of a range in the order of the index, or in reverse. */
  *scan(range: IndexRange, direction: 1 | -1): Generator<StoredDocument> {
    for (const entry of this.entries.between(...ends(range), direction)) yield entry.document;
  }

  /** Returns the number of entries of a range. */
  count(range: IndexRange): number {
    return this.entries.count(...ends(range));
  }

  private entriesOf(document: StoredDocument): readonly Entry[] {
    if (!this.isNested) {
      const key = this.paths.map(path => document[path] ?? null);
      if (!key.some(Array.isArray)) return [{ key, document }];
    }
    let keys: unknown[][] = [[]];
    for (const [place, path] of this.steps.entries()) {
      const values = [...new Set(valuesAt(document, path).map(value => value ?? null))];
      if (values.length > 1) this.multikey[place] = true;
      if (values.length === 1) for (const key of keys) key.push(values[0]);
      else keys = keys.flatMap(key => values.map(value => [...key, value]));
    }
    return keys.map(key => ({ key, document }));
  }
}

function compareKeys(a: Key, b: Key): number {
  for (let at = 0; at < a.length; at += 1) {
    const order = compareValues(a[at], b[at]);
    if (order !== 0) return order;
  }
  return 0;
}

/** Returns the probes of both ends: the first is negative below the range, the second up to its upper end. */
function ends({ prefix, low, high }: IndexRange): [low: (entry: Entry) => number, high: (entry: Entry) => number] {
  const place = ({ key }: Entry, end: unknown, atEnd: number): number => {
    for (let at = 0; at < prefix.length; at += 1) {
      const order = compareValues(key[at], prefix[at]);
      if (order !== 0) return order;
    }
    return end === undefined ? atEnd : compareValues(key[prefix.length], end) || atEnd;
  };
  return [entry => place(entry, low, 0), entry => place(entry, high, -1)];
}
