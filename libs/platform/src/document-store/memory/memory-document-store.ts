import { DocumentCollection, DocumentStore, DocumentStoreUnavailableError } from '../document-store.port.js';
import { MemoryCollection } from './memory-collection.js';
import { readSnapshot, SnapshotRecord, writeSnapshot } from './snapshot-file.js';

export interface MemoryDocumentStoreOptions {
  /** Read at open if it is there and whole; written by `save`. */
  readonly file?: string;
  /** Told when the file cannot be used; the store then starts empty and is filled again by its projections. */
  readonly warn?: (message: string, cause: unknown) => void;
}

/**
 * The document store in process. It takes what is written as its own: documents are frozen (their first level) and given to
 * readers as they are, so nobody may change a document after writing or reading it. Values are JSON.
 */
export class MemoryDocumentStore implements DocumentStore {
  private readonly collections = new Map<string, MemoryCollection>();
  private closed = false;
  private saving: Promise<void> = Promise.resolve();

  constructor(private readonly file?: string) {}

  /** Opens a store, filled from `file` where possible. */
  static async open({ file, warn }: MemoryDocumentStoreOptions = {}): Promise<MemoryDocumentStore> {
    const store = new MemoryDocumentStore(file);
    if (file === undefined) return store;
    try {
      store.restore(await readSnapshot(file));
    } catch (cause) {
      warn?.(`the snapshot ${file} cannot be used and is ignored`, cause);
    }
    return store;
  }

  async collection(name: string, indexes: readonly (string | readonly string[])[] = []): Promise<DocumentCollection> {
    this.assertOpen();
    const collection = this.named(name);
    for (const index of indexes) collection.addIndex(typeof index === 'string' ? [index] : index);
    return collection;
  }

  async drop(name: string): Promise<void> {
    this.assertOpen();
    this.collections.delete(name);
  }

  /** Everything as of one moment: records made later do not show, however slowly this is read. */
  snapshot(): Iterable<SnapshotRecord> {
    const held = [...this.collections.values()].map(kept => ({ name: kept.name, documents: kept.all() }));
    return (function* () {
      for (const { name, documents } of held) for (const document of documents) yield { collection: name, document };
    })();
  }

  /** Replaces the contents by those of a snapshot. */
  restore(records: Iterable<SnapshotRecord>): void {
    const grouped = new Map<string, SnapshotRecord['document'][]>();
    for (const { collection, document } of records) {
      const documents = grouped.get(collection);
      if (documents === undefined) grouped.set(collection, [document]);
      else documents.push(document);
    }
    for (const name of new Set([...this.collections.keys(), ...grouped.keys()]))
      this.named(name).load(grouped.get(name) ?? []);
  }

  /** Writes the contents as of now to the file, whole or not at all. Calls run one after the other. */
  save(): Promise<void> {
    const { file } = this;
    if (file === undefined) return Promise.resolve();
    const records = this.snapshot();
    const write = (): Promise<void> => writeSnapshot(file, records);
    const done = this.saving.then(write, write);
    this.saving = done;
    return done;
  }

  async ping(): Promise<void> {
    this.assertOpen();
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.saving;
  }

  private named(name: string): MemoryCollection {
    const known = this.collections.get(name);
    if (known !== undefined) return known;
    const created = new MemoryCollection(name, () => this.assertOpen());
    this.collections.set(name, created);
    return created;
  }

  private assertOpen(): void {
    if (this.closed) throw new DocumentStoreUnavailableError('the document store is closed');
  }
}
