import { Context } from 'mingo/core';
import * as query from 'mingo/operators/query';
import { Query } from 'mingo/query';
import {
  DocumentCollection,
  DocumentFilter,
  DocumentWrite,
  FindOptions,
  StoredDocument,
} from '../document-store.port.js';
import { boundsOf } from './filter-bounds.js';
import { OrderedIndex } from './ordered-index.js';
import { candidates, choosePlan, Sort } from './query-plan.js';
import { compareValues, sortValue } from './value-order.js';

/** The operators of queries and no others: with all of mingo the product would start a tenth of a second later. */
const context = Context.init({ query });

/** When more than one document in so many changed, sorting all anew costs less than moving each. */
const REFILL_SHARE = 4;

/**
 * One collection in process: a map by `_id`, ordered indexes for declared paths, mingo for the test of each candidate. Indexes are
 * brought up to date by the next search, so a document written many times between two searches is sorted in once.
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

  /** Adds an index unless there is one; existing documents are sorted in at once. */
  addIndex(paths: readonly string[]): void {
    const wanted = new OrderedIndex(paths);
    this.sortIn();
    if (this.indexes.some(index => index.paths.join() === wanted.paths.join())) return;
    wanted.fill([...this.documents.values()]);
    this.indexes.push(wanted);
  }

  /** All documents as they are now; later writes do not show. */
  all(): readonly StoredDocument[] {
    return [...this.documents.values()];
  }

  /** Replaces everything, as after a start. */
  load(documents: readonly StoredDocument[]): void {
    this.documents.clear();
    for (const document of documents) this.documents.set(document._id, document);
    this.fillIndexes();
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
    return this.search(filter, [], Infinity).length;
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
    if (!this.unsorted.has(id)) this.unsorted.set(id, previous);
  }

  private sortIn(): void {
    if (this.unsorted.size === 0) return;
    if (this.unsorted.size * REFILL_SHARE > this.documents.size) return this.fillIndexes();
    for (const [id, held] of this.unsorted) {
      const next = this.documents.get(id);
      for (const index of this.indexes) index.change(held, next);
    }
    this.unsorted.clear();
  }

  private fillIndexes(): void {
    const documents = [...this.documents.values()];
    for (const index of this.indexes) index.fill(documents);
    this.unsorted.clear();
  }

  private search(filter: DocumentFilter, sort: Sort, needed: number): StoredDocument[] {
    this.sortIn();
    const plan = choosePlan(this.indexes, boundsOf(filter), sort, needed);
    const matching = new Query({ ...filter }, { context });
    const everything = Object.keys(filter).length === 0;
    const found: StoredDocument[] = [];
    const leading = sort.slice(0, plan?.sorted ?? 0);
    for (const document of plan === undefined ? [] : candidates(plan)) {
      const last = found.length >= needed ? found.at(-1) : undefined;
      if (last !== undefined && this.isAfter(leading, sort, last, document)) break;
      if (everything || matching.test(document)) found.push(document);
    }
    return leading.length === sort.length ? found : found.sort((a, b) => compareBy(sort, a, b));
  }

  /** Whether, with enough found, no later candidate can come before any of them. */
  private isAfter(leading: Sort, sort: Sort, last: StoredDocument, next: StoredDocument): boolean {
    if (leading.length === sort.length) return true;
    return leading.length > 0 && compareBy(leading, last, next) < 0;
  }
}

function isStale(present: StoredDocument | undefined, next: StoredDocument): boolean {
  const [there, position] = [present?.['position'], next['position']];
  return typeof position === 'number' && typeof there === 'number' && there >= position;
}

function compareBy(sort: Sort, a: StoredDocument, b: StoredDocument): number {
  for (const [path, direction] of sort) {
    const split = path.split('.');
    const order = compareValues(sortValue(a, split, direction), sortValue(b, split, direction));
    if (order !== 0) return order * direction;
  }
  return 0;
}
