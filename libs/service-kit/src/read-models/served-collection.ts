import {
  DocumentStoreUnavailableError,
  type DocumentFilter,
  type DocumentReader,
  type DocumentStore,
  type FindOptions,
  type StoredDocument,
} from '@stave/platform';
import type { ModelCatalog } from './model-catalog.js';

/** For this time after a lookup, a collection is taken as the serving one. Replaced collections are kept for much longer, so reads are complete. */
const TRUST_MS = 1_000;

interface Served {
  readonly name: string;
  readonly collection: DocumentReader;
}

/** Reads of one read model, from the serving collection: never from one that is being built or dropped. */
export class ServedCollection implements DocumentReader {
  private served: Served | undefined;
  private seenAt = -Infinity;

  constructor(
    private readonly model: string,
    private readonly store: DocumentStore,
    private readonly catalog: ModelCatalog,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** Whether a collection served at the last lookup. */
  get isServed(): boolean {
    return this.served !== undefined;
  }

  /** Looks up the serving collection. Returns false where none serves. */
  async refresh(): Promise<boolean> {
    const at = this.nowMs();
    const name = (await this.catalog.load(this.model))?.serving?.collection;
    await this.use(name, at);
    return name !== undefined;
  }

  async use(name: string | undefined, at = this.nowMs()): Promise<void> {
    if (name !== this.served?.name)
      this.served = name === undefined ? undefined : { name, collection: await this.store.collection(name) };
    this.seenAt = at;
  }

  get(id: string): Promise<StoredDocument | undefined> {
    return this.read(collection => collection.get(id));
  }

  getMany(ids: readonly string[]): Promise<readonly StoredDocument[]> {
    return this.read(collection => collection.getMany(ids));
  }

  find(filter: DocumentFilter, options?: FindOptions): Promise<readonly StoredDocument[]> {
    return this.read(collection => collection.find(filter, options));
  }

  count(filter: DocumentFilter): Promise<number> {
    return this.read(collection => collection.count(filter));
  }

  /** Checks afterwards whether the collection still serves: a suspended process may have read from one that was being dropped. */
  private async read<T>(from: (collection: DocumentReader) => Promise<T>): Promise<T> {
    for (;;) {
      if (!this.isTrusted) await this.refresh();
      const { served } = this;
      if (!served) throw new DocumentStoreUnavailableError(`the read model ${this.model} is not built yet`);
      const found = await from(served.collection);
      if (this.isTrusted) return found;
      await this.refresh();
      if (this.served?.name === served.name) return found;
    }
  }

  private get isTrusted(): boolean {
    return this.nowMs() - this.seenAt < TRUST_MS;
  }
}
