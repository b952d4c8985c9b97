/** A stored document. `_id` is its key. All values are JSON. */
export interface StoredDocument {
  readonly _id: string;
  readonly [field: string]: unknown;
}

/**
 * A filter in a part of MongoDB's query language, with dotted paths: equality, $in, $gt, $gte, $lt, $lte, $ne, $exists,
 * $regex (anchored), $and and $or.
 */
export type DocumentFilter = Readonly<Record<string, unknown>>;

export interface FindOptions {
  /** The fields to sort by, in order: 1 ascends, -1 descends. An absent field sorts as null, before all values. */
  readonly sort?: readonly (readonly [string, 1 | -1])[];
  readonly limit?: number;
}

/** One write of a batch, which replaces a document completely or removes it. */
export type DocumentWrite = { readonly replace: StoredDocument } | { readonly remove: string };

export interface DocumentCollection {
  get(id: string): Promise<StoredDocument | undefined>;
  getMany(ids: readonly string[]): Promise<readonly StoredDocument[]>;
  find(filter: DocumentFilter, options?: FindOptions): Promise<readonly StoredDocument[]>;
  count(filter: DocumentFilter): Promise<number>;
  /**
   * Applies the writes. When it resolves, every reader sees them. A batch is not atomic: after a crash a part may be
   * applied, so callers repeat it. A `replace` with a numeric `position` replaces only a document whose `position` is
   * lower or absent.
   */
  write(writes: readonly DocumentWrite[]): Promise<void>;
  /** Removes every document. */
  clear(): Promise<void>;
}

/** The part of a collection that readers use. */
export type DocumentReader = Pick<DocumentCollection, 'get' | 'getMany' | 'find' | 'count'>;

/** A database of named collections. Each service has its own. */
export interface DocumentStore {
  /** True when the documents are in this process only: no other process reads or writes them. */
  readonly isLocal?: boolean;
  /** How many documents one write should have at most, where the store writes them one after the other. Absent: any number. */
  readonly writesAtOnce?: number | undefined;
  /**
   * Returns a collection, which need not exist, and adds missing indexes. `indexes` are field paths that queries filter
   * or sort by, compound ones as lists.
   */
  collection(name: string, indexes?: readonly (string | readonly string[])[]): Promise<DocumentCollection>;
  /** Returns the names of all collections that hold documents, and perhaps of empty ones. */
  names(): Promise<readonly string[]>;
  /** Removes a collection with its indexes, if it exists. */
  drop(name: string): Promise<void>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** The store cannot be reached or does not answer in time. */
export class DocumentStoreUnavailableError extends Error {
  override readonly name = 'DocumentStoreUnavailableError';
}
