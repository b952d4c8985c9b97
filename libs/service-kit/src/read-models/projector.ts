import type { DocumentCollection, DocumentReader, DocumentStore } from '@stave/platform';
import { PositionWaiters } from '../events/position-waiters.js';
import { ReadModelBuilds } from './read-model-builds.js';
import type { ReadModelDefinition, ReadModelStatus } from './read-model.js';

const CHECKPOINT = 'checkpoint';
/** Before anything serves. */
const NOTHING = -2;
const RETRY_MS = 500;

export interface ProjectorOptions {
  readonly onError: (error: unknown) => void;
  /** Milliseconds for which a retired collection is kept for readers that still use it; default 60,000. */
  readonly graceMs?: number;
  /** Documents of a build that are written between two flushes of changed documents; default 1,000. */
  readonly buildStep?: number;
}

/**
 * Writes read models from the states folded in memory: what changed since the last flush is collected and written as final documents.
 * Only the elected replica writes; documents are guarded by their position, so two writers do no harm. What has to be built again is built in
 * a collection of its own beside the one that serves, which is kept current meanwhile.
 */
export class Projector {
  private readonly waiters = new PositionWaiters();
  private readonly models: readonly ReadModelDefinition[];
  private builds: ReadModelBuilds | undefined;
  private checkpoints: DocumentCollection | undefined;
  private target = -1;
  private flushed = NOTHING;
  private leading = false;
  /** Since it leads: whether it knows what is to be written. */
  private begun = false;
  /** Whether it is to look after what was built. */
  private looks = false;
  private running: Promise<void> | undefined;
  private polling: NodeJS.Timeout | undefined;

  constructor(
    private readonly store: DocumentStore,
    models: readonly ReadModelDefinition[],
    private readonly options: ProjectorOptions,
  ) {
    this.models = models;
  }

  async open(): Promise<void> {
    this.checkpoints = await this.store.collection('projection');
    this.builds ??= new ReadModelBuilds(this.store, this.checkpoints, this.models, this.options);
  }

  /** Reads of what serves. */
  collection(name: string): DocumentReader {
    return this.opened.served(name);
  }

  mark(model: string, id: string): void {
    if (this.leading) this.builds?.mark(model, id);
  }

  /** Everything up to here was handed in by `mark`. */
  advance(position: number): void {
    this.target = Math.max(this.target, position);
    this.kick();
  }

  /** Takes over writing: what changed since the stored checkpoint is written, and built again what does not serve or is of another version. */
  lead(): void {
    if (this.leading) return;
    this.leading = true;
    this.beginAnew();
  }

  /** To be called now and then by the replica that leads: what was wiped or asked for is built, what serves no more is dropped. */
  async verify(): Promise<void> {
    if (!this.leading) return;
    this.looks = true;
    this.kick();
    await this.running;
  }

  follow(): void {
    this.leading = false;
    this.builds?.forget();
  }

  has(model: string): boolean {
    return this.models.some(({ name }) => name === model);
  }

  status(model: string): Promise<ReadModelStatus> {
    return this.opened.status(model);
  }

  /** Has this read model built again, beside the one that serves. Throws RangeError when there is none of this name. */
  async rebuild(model: string): Promise<ReadModelStatus> {
    await this.opened.request(model);
    await this.verify();
    return this.status(model);
  }

  statuses(): Promise<readonly ReadModelStatus[]> {
    return Promise.all(this.models.map(({ name }) => this.status(name)));
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

  private get opened(): ReadModelBuilds {
    if (!this.builds) throw new Error('the projector is not open');
    return this.builds;
  }

  private beginAnew(): void {
    this.begun = false;
    this.flushed = NOTHING;
    this.kick();
  }

  private kick(): void {
    if (!this.leading || this.running) return;
    this.running = this.flush().then(
      () => this.rest(this.isBehind ? 0 : undefined),
      (error: unknown) => {
        this.begun &&= !(this.builds?.isLost(error) ?? false);
        this.options.onError(error);
        this.rest(RETRY_MS);
      },
    );
  }

  private get isBehind(): boolean {
    return this.target > this.flushed || !this.begun || this.looks || (this.builds?.isBuilding ?? false);
  }

  private rest(nextMs: number | undefined): void {
    this.running = undefined;
    if (nextMs === 0) setImmediate(() => this.kick());
    else if (nextMs !== undefined) setTimeout(() => this.kick(), nextMs).unref();
  }

  private async flush(): Promise<void> {
    const builds = this.opened;
    if (!this.begun) await this.begin(builds);
    if (this.looks) await this.lookAfter(builds);
    const position = this.target;
    await builds.flush();
    // who led no more meanwhile has dropped what was not written yet
    if (!this.leading || !this.begun) return;
    if (builds.isWhole && position > this.flushed) {
      await this.checkpoints?.write([{ replace: { _id: CHECKPOINT, position } }]);
      this.reached(position);
    }
    await builds.goOn(() => this.leading && this.begun);
  }

  private async lookAfter(builds: ReadModelBuilds): Promise<void> {
    this.looks = false;
    if ((await builds.lookAfter()) === 'wiped') await this.begin(builds);
  }

  private async begin(builds: ReadModelBuilds): Promise<void> {
    this.begun = true;
    try {
      const checkpoint = await this.storedCheckpoint();
      await builds.begin(checkpoint);
      this.flushed = NOTHING;
      if (builds.isWhole) this.reached(checkpoint);
    } catch (error) {
      this.begun = false;
      throw error;
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
      this.look()
        .catch(this.options.onError)
        .finally(() => {
          if (this.waiters.size > 0 && !this.leading) this.poll();
        });
    }, 20);
  }

  /** The checkpoint first: what serves afterwards has that at least. */
  private async look(): Promise<void> {
    const position = await this.storedCheckpoint();
    if (position >= -1 && (await this.opened.refresh())) this.reached(position);
  }

  /** -1 when there is none. */
  private async storedCheckpoint(): Promise<number> {
    const position = (await this.checkpoints?.get(CHECKPOINT))?.['position'];
    return typeof position === 'number' ? position : -1;
  }
}
