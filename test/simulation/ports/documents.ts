import {
  DocumentStoreUnavailableError,
  type DocumentCollection,
  MemoryDocumentStore,
  type DocumentStore,
} from '@stave/platform';
import type { Network } from '../kernel/network.js';
import type { Process } from '../kernel/process.js';

/** The documents of a service, which its replicas share. */
export class SharedDocuments {
  store = new MemoryDocumentStore();

  lose(): void {
    this.store = new MemoryDocumentStore();
  }
}

/** One process's connection to the document store that the replicas of its service share. */
export class SimulatedDocuments implements DocumentStore {
  constructor(
    private readonly process: Process,
    private readonly network: Network,
    private readonly shared: SharedDocuments,
  ) {}

  async collection(name: string, indexes?: readonly (string | readonly string[])[]): Promise<DocumentCollection> {
    const { shared } = this;
    const call = <T>(work: (collection: DocumentCollection) => Promise<T>): Promise<T> =>
      this.call(async () => work(await shared.store.collection(name, indexes)));
    await this.call(() => shared.store.collection(name, indexes));
    return {
      get: id => call(documents => documents.get(id)),
      getMany: ids => call(documents => documents.getMany(ids)),
      find: (filter, options) => call(documents => documents.find(filter, options)),
      count: filter => call(documents => documents.count(filter)),
      write: writes => call(documents => documents.write(writes)),
      clear: () => call(documents => documents.clear()),
    };
  }

  names(): Promise<readonly string[]> {
    return this.call(() => this.shared.store.names());
  }

  drop(name: string): Promise<void> {
    return this.call(() => this.shared.store.drop(name));
  }

  ping(): Promise<void> {
    return this.call(() => this.shared.store.ping());
  }

  async close(): Promise<void> {
    // the store outlives the process
  }

  private call<T>(work: () => Promise<T>): Promise<T> {
    return this.network.call(
      this.process,
      work,
      () => new DocumentStoreUnavailableError('the simulated document store did not answer'),
    );
  }
}
