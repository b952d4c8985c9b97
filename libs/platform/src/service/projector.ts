import type {
  DocumentCollection,
  DocumentStore,
  DocumentWrite,
  StoredDocument,
} from '../document-store/document-store.port.js';

export interface ReadModelDefinition {
  readonly name: string;
  readonly indexes: readonly (string | readonly string[])[];
  /** The document of a resource as folded now, with the position of the last event in it; a tombstone when it was deleted. */
  readonly document: (id: string) => (StoredDocument & { readonly position: number }) | undefined;
  /** Every id, with the position of the last event that changed its document. */
  readonly all: () => Iterable<readonly [string, number]>;
}

const CHECKPOINT = 'checkpoint';
const BATCH = 500;

/**
 * Writes read models from the states folded in memory: what changed since the last flush is collected and written as final documents.
 * Only the elected replica writes; documents are guarded by their position, so two writers do no harm.
 */
export class Projector {
  private readonly dirty = new Map<string, Set<string>>();
  private readonly collections = new Map<string, DocumentCollection>();
  private readonly waiters: { readonly position: number; readonly resolve: (done: boolean) => void }[] = [];
  private checkpoints: DocumentCollection | undefined;
  private target = -1;
  private flushed = -1;
  private leading = false;
  private running: Promise<void> | undefined;
  private polling: NodeJS.Timeout | undefined;

  constructor(
    private readonly store: DocumentStore,
    private readonly models: readonly ReadModelDefinition[],
    private readonly onError: (error: unknown) => void,
  ) {}

  async open(): Promise<void> {
    for (const model of this.models) {
      this.collections.set(model.name, await this.store.collection(model.name, model.indexes));
      this.dirty.set(model.name, new Set());
    }
    this.checkpoints = await this.store.collection('projection');
  }

  collection(name: string): DocumentCollection {
    const collection = this.collections.get(name);
    if (!collection) throw new RangeError(`no read model ${name}`);
    return collection;
  }

  mark(model: string, id: string): void {
    if (this.leading) this.dirty.get(model)?.add(id);
  }

  /** Everything up to here was handed in by `mark`. */
  advance(position: number): void {
    this.target = Math.max(this.target, position);
    this.kick();
  }

  /** Takes over writing: everything that changed since the stored checkpoint is written. */
  async lead(): Promise<void> {
    if (this.leading) return;
    const checkpoint = await this.storedCheckpoint();
    this.leading = true;
    for (const model of this.models) {
      const dirty = this.dirty.get(model.name);
      for (const [id, position] of model.all()) if (position > checkpoint) dirty?.add(id);
    }
    this.flushed = checkpoint;
    this.kick();
  }

  follow(): void {
    this.leading = false;
    for (const dirty of this.dirty.values()) dirty.clear();
  }

  /** Removes every document and writes all anew. */
  async rebuild(): Promise<void> {
    await this.running;
    for (const collection of this.collections.values()) await collection.clear();
    await this.checkpoints?.clear();
    for (const model of this.models) for (const [id] of model.all()) this.dirty.get(model.name)?.add(id);
    this.flushed = -1;
    this.kick();
  }

  /** Up to where the read models were written, as far as this replica knows. */
  get position(): number {
    return this.flushed;
  }

  /** True when the read models show everything up to `position` within the time. */
  async waitFor(position: number, timeoutMs: number): Promise<boolean> {
    if (this.flushed >= position) return true;
    return new Promise(resolve => {
      const waiter = { position, resolve: (done: boolean) => finish(done) };
      const timer = setTimeout(() => finish(false), timeoutMs);
      const finish = (done: boolean): void => {
        clearTimeout(timer);
        const index = this.waiters.indexOf(waiter);
        if (index >= 0) this.waiters.splice(index, 1);
        resolve(done);
      };
      this.waiters.push(waiter);
      if (!this.leading) this.poll();
    });
  }

  async close(): Promise<void> {
    this.leading = false;
    if (this.polling) clearTimeout(this.polling);
    await this.running;
  }

  private kick(): void {
    if (!this.leading || this.running) return;
    this.running = this.flush()
      .catch((error: unknown) => {
        this.onError(error);
        setTimeout(() => this.kick(), 500).unref();
      })
      .finally(() => {
        this.running = undefined;
        if (this.target > this.flushed) setImmediate(() => this.kick());
      });
  }

  private async flush(): Promise<void> {
    const position = this.target;
    for (const model of this.models) await this.flushModel(model);
    await this.checkpoints?.write([{ replace: { _id: CHECKPOINT, position } }]);
    this.reached(position);
  }

  private async flushModel(model: ReadModelDefinition): Promise<void> {
    const dirty = this.dirty.get(model.name);
    if (!dirty || dirty.size === 0) return;
    const ids = [...dirty];
    dirty.clear();
    for (let i = 0; i < ids.length; i += BATCH) {
      const slice = ids.slice(i, i + BATCH);
      const writes = slice.flatMap((id): DocumentWrite[] => {
        const document = model.document(id);
        return document ? [{ replace: document }] : [];
      });
      try {
        if (writes.length > 0) await this.collection(model.name).write(writes);
      } catch (error) {
        for (const id of ids.slice(i)) dirty.add(id);
        throw error;
      }
    }
  }

  private reached(position: number): void {
    this.flushed = Math.max(this.flushed, position);
    for (const waiter of this.waiters.filter(w => w.position <= this.flushed)) waiter.resolve(true);
  }

  /** A replica that does not write asks the store how far the writer is, as long as somebody waits. */
  private poll(): void {
    if (this.polling) return;
    this.polling = setTimeout(() => {
      this.polling = undefined;
      this.storedCheckpoint()
        .then(position => this.reached(position))
        .catch(this.onError)
        .finally(() => {
          if (this.waiters.length > 0 && !this.leading) this.poll();
        });
    }, 20);
  }

  private async storedCheckpoint(): Promise<number> {
    const document = await this.checkpoints?.get(CHECKPOINT);
    return typeof document?.['position'] === 'number' ? document['position'] : -1;
  }
}
