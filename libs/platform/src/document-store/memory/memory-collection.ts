import {
  DocumentCollection,
  DocumentFilter,
  DocumentWrite,
  FindOptions,
  StoredDocument,
} from '../document-store.port.js';
import { boundsOf, FilterBounds } from './filter-bounds.js';
import { matcherOf } from './filter-matcher.js';
import { OrderedIndex } from './ordered-index.js';
import { candidates, choosePlan, countByIndex, eligibleIndexes, Sort } from './query-plan.js';
import { topSorted } from './top-sorted.js';

/** When more than one in this many documents changed, indexes are rebuilt on demand, which costs less. */
const REBUILD_SHARE = 4;

/**
 * A map by `_id` with ordered indexes over declared paths. The first search that an index serves builds it. Later
 * searches apply the writes since the last one, so a document that is written many times between two searches is moved
 * once.
 */
export class MemoryCollection implements DocumentCollection {
  private readonly documents = new Map<string, StoredDocument>();
  /** The documents that the indexes still hold for ids written since the last search. */
  private readonly pending = new Map<string, StoredDocument | undefined>();
  private readonly indexes: OrderedIndex[] = [new OrderedIndex(['_id'])];

  /** `assertOpen` throws when the store is closed. */
  constructor(private readonly assertOpen: () => void = () => undefined) {}

  /** Adds an index unless one over the same paths exists. */
  addIndex(paths: readonly string[]): void {
    const wanted = new OrderedIndex(paths);
    if (!this.indexes.some(index => index.paths.join() === wanted.paths.join())) this.indexes.push(wanted);
  }

  /** Replaces all documents. */
  load(documents: readonly StoredDocument[]): void {
    this.documents.clear();
    for (const document of documents) this.documents.set(document._id, document);
    this.discardIndexes();
  }

  async get(id: string): Promise<StoredDocument | undefined> {
    this.assertOpen();
    return this.documents.get(id);
  }

  async getMany(ids: readonly string[]): Promise<readonly StoredDocument[]> {
    this.assertOpen();
    return [...new Set(ids)].flatMap(id => this.documents.get(id) ?? []);
  }

  async find(filter: DocumentFilter, { sort = [], limit }: FindOptions = {}): Promise<readonly StoredDocument[]> {
    this.assertOpen();
    return this.search(filter, sort, limit || Infinity);
  }

  async count(filter: DocumentFilter): Promise<number> {
    this.assertOpen();
    if (Object.keys(filter).length === 0) return this.documents.size;
    const bounds = boundsOf(filter);
    return countByIndex(this.indexesFor(bounds, []), bounds) ?? this.search(filter, [], Infinity).length;
  }

  async write(writes: readonly DocumentWrite[]): Promise<void> {
    this.assertOpen();
    for (const write of writes) {
      if ('remove' in write) this.put(write.remove, undefined);
      else this.put(write.replace._id, write.replace);
    }
  }

  async clear(): Promise<void> {
    this.assertOpen();
    this.load([]);
  }

  private put(id: string, next: StoredDocument | undefined): void {
    const previous = this.documents.get(id);
    if (isStale(previous, next)) return;
    if (next === undefined) this.documents.delete(id);
    else this.documents.set(id, Object.freeze(next));
    if (!this.pending.has(id) && this.indexes.some(index => index.built)) this.pending.set(id, previous);
  }

  private applyPending(): void {
    if (this.pending.size === 0) return;
    if (this.pending.size * REBUILD_SHARE > this.documents.size) return this.discardIndexes();
    for (const [id, indexed] of this.pending) {
      const next = this.documents.get(id);
      for (const index of this.indexes) if (index.built) index.change(indexed, next);
    }
    this.pending.clear();
  }

  private discardIndexes(): void {
    for (const index of this.indexes) index.discard();
    this.pending.clear();
  }

  /** Returns the indexes that may serve a search, up to date. */
  private indexesFor(bounds: FilterBounds, sort: Sort): readonly OrderedIndex[] {
    this.applyPending();
    const eligible = eligibleIndexes(this.indexes, bounds, sort);
    for (const index of eligible) if (!index.built) index.build(this.documents.values());
    return eligible;
  }

  private search(filter: DocumentFilter, sort: Sort, needed: number): readonly StoredDocument[] {
    const bounds = boundsOf(filter);
    const plan = choosePlan(this.indexesFor(bounds, sort), bounds, sort, needed);
    if (!plan) return [];
    const found = candidates(plan, matcherOf(filter));
    return plan.sorted < sort.length ? topSorted(found, sort, needed, plan.sorted) : firstOf(found, needed);
  }
}

function firstOf(documents: Iterable<StoredDocument>, wanted: number): readonly StoredDocument[] {
  const first: StoredDocument[] = [];
  for (const document of documents) if (first.push(document) >= wanted) break;
  return first;
}

/** Whether the stored document has the position of the next one, or a higher one. */
function isStale(stored: StoredDocument | undefined, next: StoredDocument | undefined): boolean {
  const [current, position] = [stored?.['position'], next?.['position']];
  return typeof position === 'number' && typeof current === 'number' && current >= position;
}
