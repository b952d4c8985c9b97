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
  /**
   * Milliseconds after which an operation other than the build of an index fails with DocumentStoreUnavailableError; default 10,000. Without any
   * connection it fails after 5,000 at the latest.
   */
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

/** What depends on the kind of the server. */
interface Writing {
  readonly admit: Admit;
  readonly send: (collection: Collection<StoredDocument>, writes: readonly DocumentWrite[]) => Promise<void>;
}

interface Server {
  run<T>(operation: () => Promise<T>): Promise<T>;
  writing(): Promise<Writing>;
}

/** A collection on MongoDB's protocol. */
class MongoCollection implements DocumentCollection {
  constructor(
    private readonly collection: Collection<StoredDocument>,
    private readonly server: Server,
  ) {}

  get(id: string): Promise<StoredDocument | undefined> {
    return this.server.run(async () => {
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
    return this.server.run(async () =>
      (await this.collection.find(asFilter(filter), options).toArray()).map(originalForm),
    );
  }

  count(filter: DocumentFilter): Promise<number> {
    return this.server.run(() => this.collection.countDocuments(asFilter(filter)));
  }

  write(writes: readonly DocumentWrite[]): Promise<void> {
    return this.server.run(async () => {
      const stored = writes.map(write => ('replace' in write ? { replace: storedForm(write.replace) } : write));
      const { admit, send } = await this.server.writing();
      for (const round of roundsOf(stored)) await admit(() => send(this.collection, round));
    });
  }

  clear(): Promise<void> {
    return this.server.run(async () =>
      (await this.server.writing()).admit(async () => void (await this.collection.deleteMany({}))),
    );
  }
}

const TIMEOUT_MS = 10_000;
/** A request that meets no server is answered before its own deadline ends. */
const SELECTION_MS = 5_000;

function clientOf({ url, timeoutMs = TIMEOUT_MS }: MongoOptions, more: MongoClientOptions): MongoClient {
  return new MongoClient(url, {
    ignoreUndefined: true,
    serverSelectionTimeoutMS: Math.min(timeoutMs, SELECTION_MS),
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

/** The document store on MongoDB's protocol. Connects on the first call, and again whenever the connection is lost. */
export class MongoDocumentStore implements DocumentStore {
  private readonly client: MongoClient;
  private readonly database: Db;
  private connected: Promise<unknown> | undefined;
  private known: Promise<Writing> | undefined;

  constructor(private readonly options: MongoOptions) {
    this.client = clientOf(options, { socketTimeoutMS: options.timeoutMs ?? TIMEOUT_MS });
    this.database = this.client.db(options.database);
  }

  /**
   * Runs an operation when the client is connected. The client connects by itself too, but after a first attempt that failed it answers everything with
   * "Topology is closed" for ever. One attempt serves all that wait.
   */
  private run<T>(operation: () => Promise<T>): Promise<T> {
    return translated(async () => {
      this.connected ??= this.client.connect().catch((error: unknown) => {
        this.connected = undefined;
        throw error;
      });
      await this.connected;
      return operation();
    });
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
    const { maxBulk = 1000, ferret = 'ferretdbVersion' in (await this.database.command({ buildInfo: 1 })) } =
      this.options;
    if (ferret) return { admit: oneByOne(), send: writeSingly };
    return { admit: write => write(), send: (collection, writes) => writeBulks(collection, writes, maxBulk) };
  }

  async collection(name: string, indexes: readonly (string | readonly string[])[] = []): Promise<DocumentCollection> {
    const collection = this.database.collection<StoredDocument>(name);
    if (indexes.length > 0) await this.run(() => this.buildIndexes(name, indexes));
    return new MongoCollection(collection, {
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
    const patient = clientOf(this.options, { maxPoolSize: 1 });
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
    const collections = await this.run(() => this.database.listCollections({}, { nameOnly: true }).toArray());
    return collections.map(({ name }) => name);
  }

  async drop(name: string): Promise<void> {
    // some servers report a missing collection as an error
    if ((await this.names()).includes(name))
      await this.run(async () => (await this.writing()).admit(() => this.database.dropCollection(name)));
  }

  async ping(): Promise<void> {
    await this.run(() => this.database.command({ ping: 1 }));
  }

  close(): Promise<void> {
    return this.client.close();
  }
}
