import { omitUndefined } from '@stave/domain';
import { Collection, Db, Filter, MongoClient, type MongoClientOptions } from 'mongodb';
import {
  DocumentCollection,
  DocumentFilter,
  DocumentStore,
  DocumentWrite,
  FindOptions,
  StoredDocument,
} from '../document-store.port.js';
import { translated } from './mongo-errors.js';
import { originalForm, storedForm } from './mongo-keys.js';
import { roundsOf, writeBulks, writeSingly } from './mongo-writes.js';

export interface MongoOptions {
  /** A connection string such as `mongodb://host:port`. */
  readonly url: string;
  readonly database: string;
  /** The maximum number of writes in one bulk; default 1,000. */
  readonly maxBulk?: number;
  /**
   * Whether to write documents one by one after a read by `_id`, without overlapping batches; default: detected.
   * FerretDB 1.24 needs it: bulks of several changes can block it, and filters other than `_id` scan the collection.
   */
  readonly ferret?: boolean;
  /** Milliseconds after which an operation other than the build of an index fails with DocumentStoreUnavailableError; default 10,000. */
  readonly timeoutMs?: number;
}

/** Runs a write when the server can accept it. */
type Admit = <T>(write: () => Promise<T>) => Promise<T>;

/** Returns a function that runs writes one after the other. */
function oneByOne(): Admit {
  let last: Promise<unknown> = Promise.resolve();
  return write => {
    const next = last.then(write, write);
    last = next.catch(() => undefined);
    return next;
  };
}

/** A collection on MongoDB's protocol. */
class MongoCollection implements DocumentCollection {
  constructor(
    private readonly collection: Collection<StoredDocument>,
    private readonly admit: Admit,
    private readonly send: (writes: readonly DocumentWrite[]) => Promise<void>,
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

  find(filter: DocumentFilter, { sort = [], limit }: FindOptions = {}): Promise<readonly StoredDocument[]> {
    const options = omitUndefined({ sort: sort.length === 0 ? undefined : new Map(sort), limit });
    return translated(async () => (await this.collection.find(asFilter(filter), options).toArray()).map(originalForm));
  }

  count(filter: DocumentFilter): Promise<number> {
    return translated(() => this.collection.countDocuments(asFilter(filter)));
  }

  write(writes: readonly DocumentWrite[]): Promise<void> {
    return translated(async () => {
      const stored = writes.map(write => ('replace' in write ? { replace: storedForm(write.replace) } : write));
      for (const round of roundsOf(stored)) await this.admit(() => this.send(round));
    });
  }

  clear(): Promise<void> {
    return translated(() => this.admit(async () => void (await this.collection.deleteMany({}))));
  }
}

const TIMEOUT_MS = 10_000;

function clientOf({ url, timeoutMs = TIMEOUT_MS }: MongoOptions, more: MongoClientOptions): MongoClient {
  return new MongoClient(url, {
    ignoreUndefined: true,
    serverSelectionTimeoutMS: timeoutMs,
    connectTimeoutMS: timeoutMs,
    waitQueueTimeoutMS: timeoutMs,
    writeConcern: { w: 'majority' },
    readPreference: 'primary',
    ...more,
  });
}

/** Converts a filter to the driver's type. */
function asFilter(filter: DocumentFilter): Filter<StoredDocument> {
  return { ...filter };
}

/** The document store on MongoDB's protocol. */
export class MongoDocumentStore implements DocumentStore {
  private readonly database: Db;
  private readonly maxBulk: number;
  private readonly ferret: boolean;
  private readonly admit: Admit;

  static async connect(options: MongoOptions): Promise<MongoDocumentStore> {
    const client = clientOf(options, { socketTimeoutMS: options.timeoutMs ?? TIMEOUT_MS });
    try {
      await translated(() => client.connect());
      const about = await translated(() => client.db(options.database).command({ buildInfo: 1 }));
      return new MongoDocumentStore(client, { ferret: 'ferretdbVersion' in about, ...options });
    } catch (error) {
      await client.close();
      throw error;
    }
  }

  private constructor(
    private readonly client: MongoClient,
    private readonly options: MongoOptions,
  ) {
    const { database, maxBulk = 1000, ferret = false } = options;
    this.database = client.db(database);
    this.maxBulk = maxBulk;
    this.ferret = ferret;
    this.admit = ferret ? oneByOne() : write => write();
  }

  async collection(name: string, indexes: readonly (string | readonly string[])[] = []): Promise<DocumentCollection> {
    const collection = this.database.collection<StoredDocument>(name);
    if (indexes.length > 0) await translated(() => this.buildIndexes(name, indexes));
    return new MongoCollection(collection, this.admit, writes =>
      this.ferret ? writeSingly(collection, writes) : writeBulks(collection, writes, this.maxBulk),
    );
  }

  /**
   * Builds missing indexes, which takes as long as the documents are many: over a connection without a time-out, which
   * ends when the server stops answering its monitor.
   */
  private async buildIndexes(name: string, indexes: readonly (string | readonly string[])[]): Promise<void> {
    const patient = clientOf(this.options, { maxPoolSize: 1 });
    try {
      const collection = patient.db(this.options.database).collection(name);
      for (const index of indexes) {
        const paths = typeof index === 'string' ? [index] : index;
        const key = new Map(paths.map(path => [path, 1] as const));
        await this.admit(() => collection.createIndex(key));
      }
    } finally {
      await patient.close();
    }
  }

  async names(): Promise<readonly string[]> {
    const collections = await translated(() => this.database.listCollections({}, { nameOnly: true }).toArray());
    return collections.map(({ name }) => name);
  }

  async drop(name: string): Promise<void> {
    // some servers report a missing collection as an error
    if ((await this.names()).includes(name))
      await translated(() => this.admit(() => this.database.dropCollection(name)));
  }

  async ping(): Promise<void> {
    await translated(() => this.database.command({ ping: 1 }));
  }

  close(): Promise<void> {
    return this.client.close();
  }
}
