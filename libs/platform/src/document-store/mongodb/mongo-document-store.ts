import { omitUndefined } from '@stave/domain';
import { MongoClient, type Collection, type Db, type Filter, type MongoClientOptions } from 'mongodb';
import {
  DocumentCollection,
  DocumentFilter,
  DocumentStore,
  DocumentWrite,
  FindOptions,
  StoredDocument,
} from '../document-store.port.js';
import { MongoConnection } from './mongo-connection.js';
import { translated } from './mongo-errors.js';
import { MongoFiles, type MongoFilesOptions } from './mongo-files.js';
import { originalForm, storedForm } from './mongo-keys.js';
import { roundsOf, writeBulks, writeSingly } from './mongo-writes.js';

export interface MongoOptions extends MongoFilesOptions {
  readonly database: string;
  /** The maximum number of writes in one bulk; default 1,000. */
  readonly maxBulk?: number;
  /**
   * Whether to write documents one by one after a read by `_id`, without overlapping batches; default: detected.
   * FerretDB 1.24 needs it: bulks of several changes can block it, and filters other than `_id` scan the collection.
   */
  readonly ferret?: boolean;
  /**
   * Milliseconds after which an operation other than the build of an index fails with DocumentStoreUnavailableError; default 10,000. Without any
   * connection it fails after 5,000 at the latest.
   */
  readonly timeoutMs?: number;
}

/** Documents of one write to a server that takes them one by one: who waits for its end does not wait for many. */
const AT_ONCE_SINGLY = 20;

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

/** What depends on the kind of the server. */
interface Writing {
  readonly admit: Admit;
  readonly send: (collection: Collection<StoredDocument>, writes: readonly DocumentWrite[]) => Promise<void>;
}

interface Server {
  run<T>(operation: (database: Db) => Promise<T>): Promise<T>;
  writing(): Promise<Writing>;
}

/** A collection on MongoDB's protocol. */
class MongoCollection implements DocumentCollection {
  constructor(
    private readonly name: string,
    private readonly server: Server,
  ) {}

  private run<T>(operation: (collection: Collection<StoredDocument>) => Promise<T>): Promise<T> {
    return this.server.run(database => operation(database.collection<StoredDocument>(this.name)));
  }

  get(id: string): Promise<StoredDocument | undefined> {
    return this.run(async collection => {
      const found = await collection.findOne({ _id: id });
      return found === null ? undefined : originalForm(found);
    });
  }

  getMany(ids: readonly string[]): Promise<readonly StoredDocument[]> {
    const distinct = [...new Set(ids)];
    return distinct.length === 0 ? Promise.resolve([]) : this.find({ _id: { $in: distinct } });
  }

  find(filter: DocumentFilter, { sort = [], limit }: FindOptions = {}): Promise<readonly StoredDocument[]> {
    const options = omitUndefined({ sort: sort.length === 0 ? undefined : new Map(sort), limit });
    return this.run(async collection => (await collection.find(asFilter(filter), options).toArray()).map(originalForm));
  }

  count(filter: DocumentFilter): Promise<number> {
    return this.run(collection => collection.countDocuments(asFilter(filter)));
  }

  write(writes: readonly DocumentWrite[]): Promise<void> {
    return this.run(async collection => {
      const stored = writes.map(write => ('replace' in write ? { replace: storedForm(write.replace) } : write));
      const { admit, send } = await this.server.writing();
      for (const round of roundsOf(stored)) await admit(() => send(collection, round));
    });
  }

  clear(): Promise<void> {
    return this.run(async collection =>
      (await this.server.writing()).admit(async () => void (await collection.deleteMany({}))),
    );
  }
}

const TIMEOUT_MS = 10_000;
/** A request that meets no server is answered before its own deadline ends. */
const SELECTION_MS = 5_000;

function clientOptions({ timeoutMs = TIMEOUT_MS }: MongoOptions, more: MongoClientOptions): MongoClientOptions {
  return {
    ignoreUndefined: true,
    serverSelectionTimeoutMS: Math.min(timeoutMs, SELECTION_MS),
    connectTimeoutMS: timeoutMs,
    waitQueueTimeoutMS: timeoutMs,
    writeConcern: { w: 'majority' },
    readPreference: 'primary',
    ...more,
  };
}

/** Converts a filter to the driver's type. */
function asFilter(filter: DocumentFilter): Filter<StoredDocument> {
  return { ...filter };
}

/** The document store on MongoDB's protocol. Connects on the first call, and again whenever the connection is lost. */
export class MongoDocumentStore implements DocumentStore {
  private readonly files: MongoFiles;
  private readonly retiring = new Set<Promise<void>>();
  private connection: MongoConnection;
  private known: Promise<Writing> | undefined;
  private isSingle = false;

  /** Throws BadEnvironmentError for files that cannot be used. */
  constructor(private readonly options: MongoOptions) {
    this.files = new MongoFiles(options);
    this.connection = this.connect();
    this.files.onChange(() => this.renew());
  }

  private connect(): MongoConnection {
    const { url, database, timeoutMs: socketTimeoutMS = TIMEOUT_MS } = this.options;
    const options = clientOptions(this.options, { ...this.files.options, socketTimeoutMS });
    return new MongoConnection(url, database, options);
  }

  /** Takes the files as they are now for all operations from now on. */
  private renew(): void {
    const former = this.connection;
    this.connection = this.connect();
    const retired = former
      .retire()
      .catch((err: unknown) => this.options.log?.warn({ err }, 'a former connection to MongoDB did not close'))
      .finally(() => this.retiring.delete(retired));
    this.retiring.add(retired);
  }

  private run<T>(operation: (database: Db) => Promise<T>): Promise<T> {
    return translated(() => this.connection.run(operation));
  }

  /** Asks the server of what kind it is, until it has answered once. */
  private writing(): Promise<Writing> {
    this.known ??= this.askKind().catch((error: unknown) => {
      this.known = undefined;
      throw error;
    });
    return this.known;
  }

  private async askKind(): Promise<Writing> {
    const {
      maxBulk = 1000,
      ferret = 'ferretdbVersion' in (await this.connection.run(db => db.command({ buildInfo: 1 }))),
    } = this.options;
    this.isSingle = ferret;
    if (ferret) return { admit: oneByOne(), send: writeSingly };
    return { admit: write => write(), send: (collection, writes) => writeBulks(collection, writes, maxBulk) };
  }

  get writesAtOnce(): number | undefined {
    return this.isSingle ? AT_ONCE_SINGLY : undefined;
  }

  async collection(name: string, indexes: readonly (string | readonly string[])[] = []): Promise<DocumentCollection> {
    if (indexes.length > 0) await this.run(() => this.buildIndexes(name, indexes));
    return new MongoCollection(name, {
      run: operation => this.run(operation),
      writing: () => this.writing(),
    });
  }

  /**
   * Builds missing indexes, which takes as long as the documents are many: over a connection without a time-out, which
   * ends when the server stops answering its monitor.
   */
  private async buildIndexes(name: string, indexes: readonly (string | readonly string[])[]): Promise<void> {
    const { admit } = await this.writing();
    const options = clientOptions(this.options, { ...this.files.options, maxPoolSize: 1 });
    const patient = new MongoClient(this.options.url, options);
    try {
      const collection = patient.db(this.options.database).collection(name);
      for (const index of indexes) {
        const paths = typeof index === 'string' ? [index] : index;
        const key = new Map(paths.map(path => [path, 1] as const));
        await admit(() => collection.createIndex(key));
      }
    } finally {
      await patient.close();
    }
  }

  async names(): Promise<readonly string[]> {
    const collections = await this.run(database => database.listCollections({}, { nameOnly: true }).toArray());
    return collections.map(({ name }) => name);
  }

  async drop(name: string): Promise<void> {
    // some servers report a missing collection as an error
    if ((await this.names()).includes(name))
      await this.run(async database => (await this.writing()).admit(() => database.dropCollection(name)));
  }

  async ping(): Promise<void> {
    await this.run(database => database.command({ ping: 1 }));
  }

  async close(): Promise<void> {
    this.files.close();
    await this.connection.close();
    await Promise.all(this.retiring);
  }
}
