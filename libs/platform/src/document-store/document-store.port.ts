/** A stored document. `_id` is its key. Values are JSON. */
export interface StoredDocument {
  readonly _id: string;
  readonly [field: string]: unknown;
}

/** The part of MongoDB's query language that is used: equality, $in, $gt $gte $lt $lte $ne, $exists, $regex (prefix, anchored), $and, $or. Paths are dotted. */
export type DocumentFilter = Readonly<Record<string, unknown>>;

export interface FindOptions {
  /** Field → 1 | -1, in order. Absent fields sort as null (first ascending). */
  readonly sort?: readonly (readonly [string, 1 | -1])[];
  readonly limit?: number;
  readonly skip?: number;
}

/** One write of a batch: replaces the whole document or removes it. */
export type DocumentWrite = { readonly replace: StoredDocument } | { readonly remove: string };

export interface DocumentCollection {
  get(id: string): Promise<StoredDocument | undefined>;
  getMany(ids: readonly string[]): Promise<readonly StoredDocument[]>;
  find(filter: DocumentFilter, options?: FindOptions): Promise<readonly StoredDocument[]>;
  count(filter: DocumentFilter): Promise<number>;
  /**
   * Applies the writes; when it resolves all of them are visible to every reader. Not atomic as a whole: after a crash a part
   * may be applied, so callers repeat batches. A `replace` that carries a numeric `position` only replaces a document whose
   * `position` is lower or absent (a late writer never turns a document back).
   */
  write(writes: readonly DocumentWrite[]): Promise<void>;
  /** Removes every document. */
  clear(): Promise<void>;
}

/** What readers need of a collection. */
export type DocumentReader = Pick<DocumentCollection, 'get' | 'getMany' | 'find' | 'count'>;

/** A database of named collections; each service has its own. */
export interface DocumentStore {
  /** `indexes`: field paths that queries filter or sort by; compound ones as lists. Asking again with others adds them. */
  collection(name: string, indexes?: readonly (string | readonly string[])[]): Promise<DocumentCollection>;
  /** Removes the collection with its indexes; nothing happens when there is none. */
  drop(name: string): Promise<void>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** The store cannot be reached or does not answer in time. */
export class DocumentStoreUnavailableError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'DocumentStoreUnavailableError';
  }
}
