import {
  DocumentCollection,
  DocumentFilter,
  DocumentWrite,
  FindOptions,
  StoredDocument,
} from '../document-store.port.js';
import { exactCount } from './exact-count.js';
import { Bounds, boundsOf } from './filter-bounds.js';
import { matcherOf } from './filter-matcher.js';
import { OrderedIndex } from './ordered-index.js';
import { candidates, choosePlan, Sort, worthwhile } from './query-plan.js';
import { TopSorted } from './top-sorted.js';

/** When more than one document in so many changed, sorting all anew, when they are asked for, costs less than moving each. */
const REFILL_SHARE = 4;

/**
 * One collection in process: a map by `_id`, ordered indexes for declared paths, a test of each candidate. An index is filled by the
 * first search that it is good for, and from then on brought up to date by the next search, so a document written many times between two
 * searches is sorted in once.
 */
export class MemoryCollection implements DocumentCollection {
  private readonly documents = new Map<string, StoredDocument>();
  /** What the indexes still hold of documents written since the last search. */
  private readonly unsorted = new Map<string, StoredDocument | undefined>();
  private readonly indexes: OrderedIndex[] = [new OrderedIndex(['_id'])];

  constructor(
    readonly name: string,
    private readonly assertOpen: () => void,
  ) {}

  /** Adds an index unless there is one. */
  addIndex(paths: readonly string[]): void {
    const wanted = new OrderedIndex(paths);
    if (!this.indexes.some(index => index.paths.join() === wanted.paths.join())) this.indexes.push(wanted);
  }

  /** All documents as they are now; later writes do not show. */
  all(): readonly StoredDocument[] {
    return [...this.documents.values()];
  }

  /** Replaces everything, as after a start. */
  load(documents: readonly StoredDocument[]): void {
    this.documents.clear();
    for (const document of documents) this.documents.set(document._id, document);
    this.emptyIndexes();
  }

  async get(id: string): Promise<StoredDocument | undefined> {
    this.assertOpen();
    return this.documents.get(id);
  }

  async getMany(ids: readonly string[]): Promise<readonly StoredDocument[]> {
    this.assertOpen();
    return [...new Set(ids)].flatMap(id => this.documents.get(id) ?? []);
  }

  async find(
    filter: DocumentFilter,
    { sort = [], limit, skip = 0 }: FindOptions = {},
  ): Promise<readonly StoredDocument[]> {
    this.assertOpen();
    const needed = limit === undefined || limit === 0 ? Infinity : skip + limit;
    const found = this.search(filter, sort, needed);
    return found.slice(skip, needed);
  }

  async count(filter: DocumentFilter): Promise<number> {
    this.assertOpen();
    if (Object.keys(filter).length === 0) return this.documents.size;
    const bounds = boundsOf(filter);
    return exactCount(this.indexesFor(bounds, []), filter, bounds) ?? this.search(filter, [], Infinity).length;
  }

  async write(writes: readonly DocumentWrite[]): Promise<void> {
    this.assertOpen();
    for (const write of writes) {
      if ('remove' in write) this.put(write.remove, undefined);
      else if (!isStale(this.documents.get(write.replace._id), write.replace))
        this.put(write.replace._id, write.replace);
    }
  }

  async clear(): Promise<void> {
    this.assertOpen();
    this.load([]);
  }

  private put(id: string, next: StoredDocument | undefined): void {
    const previous = this.documents.get(id);
    if (next === undefined) this.documents.delete(id);
    else this.documents.set(id, Object.freeze(next));
    if (!this.unsorted.has(id) && this.indexes.some(index => index.warm)) this.unsorted.set(id, previous);
  }

  private sortIn(): void {
    if (this.unsorted.size === 0) return;
    if (this.unsorted.size * REFILL_SHARE > this.documents.size) return this.emptyIndexes();
    for (const [id, held] of this.unsorted) {
      const next = this.documents.get(id);
      for (const index of this.indexes) if (index.warm) index.change(held, next);
    }
    this.unsorted.clear();
  }

  private emptyIndexes(): void {
    for (const index of this.indexes) index.empty();
    this.unsorted.clear();
  }

  /** Those that a search may use, up to date. */
  private indexesFor(bounds: Bounds, sort: Sort): readonly OrderedIndex[] {
    this.sortIn();
    const chosen = worthwhile(this.indexes, bounds, sort);
    for (const index of chosen) if (!index.warm) index.fill([...this.documents.values()]);
    return chosen;
  }

  private search(filter: DocumentFilter, sort: Sort, needed: number): readonly StoredDocument[] {
    const bounds = boundsOf(filter);
    const plan = choosePlan(this.indexesFor(bounds, sort), bounds, sort, needed);
    if (!plan) return [];
    const matches = matcherOf(filter);
    const leading = sort.slice(0, plan.sorted);
    if (leading.length === sort.length) {
      const found: StoredDocument[] = [];
      for (const document of candidates(plan)) {
        if (found.length >= needed) break;
        if (matches(document)) found.push(document);
      }
      return found;
    }
    const top = new TopSorted(sort, needed, plan.sorted);
    for (const document of candidates(plan)) if (matches(document) && !top.add(document)) break;
    return top.sorted();
  }
}

function isStale(present: StoredDocument | undefined, next: StoredDocument): boolean {
  const [there, position] = [present?.['position'], next['position']];
  return typeof position === 'number' && typeof there === 'number' && there >= position;
}
