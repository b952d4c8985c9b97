import { Db, MongoClient } from 'mongodb';
import { DocumentCollection, DocumentStore, StoredDocument } from '../document-store.port.js';
import { MongoCollection } from './mongo-collection.js';
import { translated } from './mongo-errors.js';

export interface MongoOptions {
  /** A connection string such as `mongodb://host:port`. */
  readonly url: string;
  readonly database: string;
  /** The maximum number of writes in one bulk; default 1,000. */
  readonly maxBulk?: number;
  /**
   * Whether to avoid what FerretDB 1.24 does badly: bulks of several changes can block it, and filters other than `_id` scan the
   * collection. Documents are then written one by one after a read by `_id`, and batches do not overlap. Default: detected from the server.
   */
  readonly ferret?: boolean;
  /** Milliseconds after which an operation fails with DocumentStoreUnavailableError; default 10,000. */
  readonly timeoutMs?: number;
}

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

/** The document store on MongoDB's protocol. */
export class MongoDocumentStore implements DocumentStore {
  private readonly database: Db;
  private readonly maxBulk: number;
  private readonly ferret: boolean;
  private readonly admit: Admit;

  constructor(
    private readonly client: MongoClient,
    { database, maxBulk = 1000, ferret = false }: MongoOptions,
  ) {
    this.database = client.db(database);
    this.maxBulk = maxBulk;
    this.ferret = ferret;
    this.admit = ferret ? oneByOne() : write => write();
  }

  async collection(name: string, indexes: readonly (string | readonly string[])[] = []): Promise<DocumentCollection> {
    const collection = this.database.collection<StoredDocument>(name);
    for (const index of indexes) {
      const paths = typeof index === 'string' ? [index] : index;
      const key = new Map(paths.map(path => [path, 1] as const));
      await translated(() => this.admit(() => collection.createIndex(key)));
    }
    return new MongoCollection(collection, { maxBulk: this.maxBulk, single: this.ferret, admit: this.admit });
  }

  async drop(name: string): Promise<void> {
    // some servers report a missing collection as an error
    const known = await translated(() => this.database.listCollections({ name }, { nameOnly: true }).toArray());
    if (known.length > 0) await translated(() => this.admit(() => this.database.dropCollection(name)));
  }

  async ping(): Promise<void> {
    await translated(() => this.database.command({ ping: 1 }));
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

/** Connects to MongoDB. Throws DocumentStoreUnavailableError when it cannot be reached within the timeout. */
export async function connectMongo(options: MongoOptions): Promise<MongoDocumentStore> {
  const { url, timeoutMs = 10_000 } = options;
  const client = new MongoClient(url, {
    ignoreUndefined: true,
    serverSelectionTimeoutMS: timeoutMs,
    connectTimeoutMS: timeoutMs,
    socketTimeoutMS: timeoutMs,
    waitQueueTimeoutMS: timeoutMs,
    writeConcern: { w: 'majority' },
    readPreference: 'primary',
  });
  try {
    await translated(() => client.connect());
    const about = await translated(() => client.db(options.database).command({ buildInfo: 1 }));
    return new MongoDocumentStore(client, { ferret: 'ferretdbVersion' in about, ...options });
  } catch (error) {
    await client.close();
    throw error;
  }
}
