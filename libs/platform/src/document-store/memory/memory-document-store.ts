import { getOrCreate } from '@stave/domain';
import { DocumentCollection, DocumentStore, DocumentStoreUnavailableError } from '../document-store.port.js';
import { MemoryCollection } from './memory-collection.js';

/**
 * The document store in process. It freezes the first level of what is written and hands it to readers without a copy,
 * so a document must not be changed after it was written or read.
 */
export class MemoryDocumentStore implements DocumentStore {
  private readonly collections = new Map<string, MemoryCollection>();
  private closed = false;
  readonly isLocal = true;

  async collection(name: string, indexes: readonly (string | readonly string[])[] = []): Promise<DocumentCollection> {
    this.assertOpen();
    const collection = getOrCreate(this.collections, name, () => new MemoryCollection(() => this.assertOpen()));
    for (const index of indexes) collection.addIndex(typeof index === 'string' ? [index] : index);
    return collection;
  }

  async names(): Promise<readonly string[]> {
    this.assertOpen();
    return [...this.collections.keys()];
  }

  async drop(name: string): Promise<void> {
    this.assertOpen();
    this.collections.delete(name);
  }

  async ping(): Promise<void> {
    this.assertOpen();
  }

  async close(): Promise<void> {
    this.closed = true;
  }

  private assertOpen(): void {
    if (this.closed) throw new DocumentStoreUnavailableError('the document store is closed');
  }
}
