import {
  DocumentCollection,
  DocumentStore,
  DocumentStoreUnavailableError,
  StoredDocument,
} from '../document-store.port.js';
import { MemoryCollection } from './memory-collection.js';

/**
 * The document store in process. It owns what is written: documents are frozen (their first level) and handed to readers without a
 * copy, so a document must not be changed after it was written or read. Values are JSON.
 */
export class MemoryDocumentStore implements DocumentStore {
  private readonly collections = new Map<string, MemoryCollection>();
  private closed = false;

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

  /** Returns the documents of each collection as they are now; later writes do not show. */
  contents(): ReadonlyMap<string, readonly StoredDocument[]> {
    return new Map(Array.from(this.collections, ([name, collection]) => [name, collection.all()]));
  }

  async ping(): Promise<void> {
    this.assertOpen();
  }

  async close(): Promise<void> {
    this.closed = true;
  }

  private named(name: string): MemoryCollection {
    const known = this.collections.get(name);
    if (known !== undefined) return known;
    const created = new MemoryCollection(() => this.assertOpen());
    this.collections.set(name, created);
    return created;
  }

  private assertOpen(): void {
    if (this.closed) throw new DocumentStoreUnavailableError('the document store is closed');
  }
}
