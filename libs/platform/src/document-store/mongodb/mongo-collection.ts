import { Collection, Filter, FindOptions as MongoFindOptions } from 'mongodb';
import {
  DocumentCollection,
  DocumentFilter,
  DocumentWrite,
  FindOptions,
  StoredDocument,
} from '../document-store.port.js';
import { translated } from './mongo-errors.js';
import { originalForm, storedForm } from './mongo-keys.js';
import { writeBulks, writeSingly } from './mongo-writes.js';
import { roundsOf } from './write-rounds.js';

interface MongoCollectionOptions {
  /** The maximum number of writes in one bulk. */
  readonly maxBulk: number;
  /** Whether to write one document at a time, guarded ones after a read by `_id`. */
  readonly single: boolean;
  /** Runs a write when the server can accept it. */
  readonly admit: <T>(write: () => Promise<T>) => Promise<T>;
}

/** A collection on MongoDB's protocol. */
export class MongoCollection implements DocumentCollection {
  constructor(
    private readonly collection: Collection<StoredDocument>,
    private readonly options: MongoCollectionOptions,
  ) {}

  get(id: string): Promise<StoredDocument | undefined> {
    return translated(async () => {
      const found = await this.collection.findOne({ _id: id });
      return found === null ? undefined : originalForm(found);
    });
  }

  getMany(ids: readonly string[]): Promise<readonly StoredDocument[]> {
    const distinct = [...new Set(ids)];
    return distinct.length === 0 ? Promise.resolve([]) : this.find({ _id: { $in: distinct } });
  }

  find(filter: DocumentFilter, { sort = [], limit, skip }: FindOptions = {}): Promise<readonly StoredDocument[]> {
    const options: MongoFindOptions = {
      ...(sort.length === 0 ? {} : { sort: new Map(sort) }),
      ...(limit === undefined ? {} : { limit }),
      ...(skip === undefined ? {} : { skip }),
    };
    return translated(async () => (await this.collection.find(asFilter(filter), options).toArray()).map(originalForm));
  }

  count(filter: DocumentFilter): Promise<number> {
    return translated(() => this.collection.countDocuments(asFilter(filter)));
  }

  write(writes: readonly DocumentWrite[]): Promise<void> {
    const { maxBulk, single, admit } = this.options;
    return translated(async () => {
      const stored = writes.map(write => ('replace' in write ? { replace: storedForm(write.replace) } : write));
      for (const round of roundsOf(stored)) {
        await admit(() => (single ? writeSingly(this.collection, round) : writeBulks(this.collection, round, maxBulk)));
      }
    });
  }

  clear(): Promise<void> {
    return translated(async () => {
      await this.options.admit(() => this.collection.deleteMany({}));
    });
  }
}

/** Converts a filter to the driver's type. */
function asFilter(filter: DocumentFilter): Filter<StoredDocument> {
  return { ...filter };
}
