import type {
  DocumentCollection,
  DocumentStore,
  DocumentWrite,
  StoredDocument,
} from '../document-store/document-store.port.js';
import { listedDocument } from './listed-document.js';
import { PositionWaiters } from './position-waiters.js';

export interface ReadModelDefinition {
  readonly name: string;
  readonly indexes: readonly (string | readonly string[])[];
  /** The document of a resource as folded now, with the position of the last event in it; a tombstone when it was deleted. */
  readonly document: (id: string) => (StoredDocument & { readonly position: number }) | undefined;
  /** Every id, with the position of the last event that changed its document. */
  readonly all: () => Iterable<readonly [string, number]>;
}

const CHECKPOINT = 'checkpoint';
/** Says that everything up to the checkpoint was written; whoever wipes the read models takes it along. */
const WHOLE = 'whole';
const BATCH = 500;
const RETRY_MS = 500;

/**
 * Writes read models from the states folded in memory: what changed since the last flush is collected and written as final documents.
 * Only the elected replica writes; documents are guarded by their position, so two writers do no harm.
 */
export class Projector {
  private readonly dirty = new Map<string, Set<string>>();
  private readonly collections = new Map<string, DocumentCollection>();
  private readonly waiters = new PositionWaiters();
  private checkpoints: DocumentCollection | undefined;
  private target = -1;
  private flushed = -1;
  private leading = false;
  /** Since it leads: whether it knows what is to be written. */
  private begun = false;
  /** Whether everything was written at some time, and not wiped since as far as this replica knows. */
  private whole = false;
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
      if (!this.dirty.has(model.name)) this.dirty.set(model.name, new Set());
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

  /** Takes over writing: everything that changed since the stored checkpoint is written; everything at all, when the read models are not whole. */
  lead(): void {
    if (this.leading) return;
    this.leading = true;
    this.beginAnew();
  }

  /** To be called now and then: when the read models were wiped, the replica that leads writes them anew. */
  async verify(): Promise<void> {
    if (!this.leading || !this.whole || (await this.checkpoints?.get(WHOLE))) return;
    await this.open();
    this.beginAnew();
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
    this.beginAnew();
  }

  /** Up to where the read models were written, as far as this replica knows. */
  get position(): number {
    return this.flushed;
  }

  /** True when the read models show everything up to `position` within the time. */
  async waitFor(position: number, timeoutMs: number): Promise<boolean> {
    if (this.flushed >= position) return true;
    const reached = this.waiters.wait(position, timeoutMs);
    if (!this.leading) this.poll();
    return reached;
  }

  async close(): Promise<void> {
    this.leading = false;
    if (this.polling) clearTimeout(this.polling);
    await this.running;
  }

  private beginAnew(): void {
    this.begun = false;
    this.flushed = -1;
    this.kick();
  }

  private kick(): void {
    if (!this.leading || this.running) return;
    this.running = this.flush().then(
      () => this.rest(this.target > this.flushed || !this.begun || !this.whole ? 0 : undefined),
      (error: unknown) => {
        this.onError(error);
        this.rest(RETRY_MS);
      },
    );
  }

  private rest(nextMs: number | undefined): void {
    this.running = undefined;
    if (nextMs === 0) setImmediate(() => this.kick());
    else if (nextMs !== undefined) setTimeout(() => this.kick(), nextMs).unref();
  }

  private async flush(): Promise<void> {
    if (!this.begun) await this.begin();
    const position = this.target;
    const anew = !this.whole;
    if (anew) {
      await this.checkpoints?.write([{ replace: { _id: WHOLE, complete: false } }]);
      this.markAfter(-1);
    }
    for (const model of this.models) await this.flushModel(model);
    // who led no more meanwhile has dropped what was not written yet
    if (!this.leading || !this.begun) return;
    await this.checkpoints?.write([{ replace: { _id: CHECKPOINT, position } }]);
    if (anew) {
      // wiped again meanwhile: the next flush begins anew too
      if (!(await this.checkpoints?.get(WHOLE))) return;
      await this.checkpoints?.write([{ replace: { _id: WHOLE, complete: true } }]);
      this.whole = true;
    }
    this.reached(position);
  }

  private async begin(): Promise<void> {
    this.begun = true;
    try {
      const checkpoint = await this.storedCheckpoint();
      this.whole = checkpoint >= 0;
      this.markAfter(checkpoint);
    } catch (error) {
      this.begun = false;
      throw error;
    }
  }

  /** What changed after this position is to be written. */
  private markAfter(checkpoint: number): void {
    for (const model of this.models) {
      const dirty = this.dirty.get(model.name);
      for (const [id, position] of model.all()) if (position > checkpoint) dirty?.add(id);
    }
    this.flushed = checkpoint;
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
        return document ? [{ replace: listedDocument(document) }] : [];
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
    this.waiters.reached(this.flushed);
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
          if (this.waiters.size > 0 && !this.leading) this.poll();
        });
    }, 20);
  }

  /** -1 when there is none, or the read models are not whole. */
  private async storedCheckpoint(): Promise<number> {
    const stored = (await this.checkpoints?.getMany([CHECKPOINT, WHOLE])) ?? [];
    const whole = stored.some(document => document._id === WHOLE && document['complete'] === true);
    const position = stored.find(document => document._id === CHECKPOINT)?.['position'];
    return whole && typeof position === 'number' ? position : -1;
  }
}
