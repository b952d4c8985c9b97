import type { DocumentReader, DocumentStore } from '@stave/platform';
import { PositionWaiters } from '../events/position-waiters.js';
import type { Bookkeeping } from './bookkeeping.js';
import { BuiltModel } from './built-model.js';
import { ExpiredDocuments } from './expired-documents.js';
import { CatalogMovedError } from './model-catalog.js';
import { OwnChanges } from './own-changes.js';
import { PositionPoll } from './position-poll.js';
import type { ProjectorOptions } from './projector.options.js';
import type { ReadModelDefinition, ReadModelStatus } from './read-model.js';
import { areServed, isOneWritten, refreshServed } from './served-models.js';
import type { StoredPositions } from './stored-positions.js';
import { WriteLag } from './write-lag.js';

/** The position before any read model serves. */
const NOTHING = -2;
const RETRY_MS = 500;

/**
 * Writes read models from the states folded in memory: resources that changed since the last flush are collected and written as complete
 * documents. Only the elected replica writes; documents are guarded by their position, so two writers do no harm. A new build of a read
 * model goes into its own collection beside the serving one, which is kept current meanwhile.
 */
export class Projector {
  private readonly waiters = new PositionWaiters();
  private readonly models = new Map<string, BuiltModel>();
  private target = -1;
  private flushed = NOTHING;
  private leading = false;
  /** Whether this replica has determined what is to be written since it leads. */
  private begun = false;
  /** Whether this replica has taken over. Before and after it reads the position that the writer has stored, as long as a request waits for it. */
  private isInCharge = false;
  private isMaintenanceDue = false;
  private running: Promise<void> | undefined;
  private readonly poll: PositionPoll;
  private readonly lag: WriteLag;
  private readonly expired: ExpiredDocuments;
  private readonly own = new OwnChanges(
    () => this.target,
    () => this.kick(),
  );

  constructor(
    private readonly store: DocumentStore,
    definitions: readonly ReadModelDefinition[],
    private readonly bookkeeping: Bookkeeping,
    private readonly options: ProjectorOptions,
  ) {
    this.expired = new ExpiredDocuments(options);
    this.lag = new WriteLag(options.service);
    const isNeeded = (): boolean => this.waiters.size > 0 && !this.isInCharge;
    this.poll = new PositionPoll(() => this.readPosition(), isNeeded, options.onError);
    for (const definition of definitions)
      this.models.set(definition.name, new BuiltModel(definition, store, bookkeeping.catalog, options));
  }

  /** Returns a reader of the serving collection. Throws RangeError for an unknown read model. */
  collection(name: string): DocumentReader {
    return this.model(name).reader;
  }

  mark(name: string, id: string): void {
    if (this.leading) this.models.get(name)?.writer.mark(id);
  }

  /**
   * As `mark`, for a document whose resource this process has changed by an event at `position`: it is written soon, also where the feed
   * delivers that event later.
   */
  touch(name: string, id: string, position: number): void {
    this.mark(name, id);
    if (this.leading) this.own.note(position);
  }

  /** Reports that everything up to this position was handed in by `mark`. */
  advance(position: number): void {
    this.target = Math.max(this.target, position);
    if (this.leading) this.lag.note(this.target > this.flushed);
    this.kick();
  }

  /** Takes over writing: writes changes since the stored checkpoint, and rebuilds read models that do not serve or have another version. */
  lead(): void {
    if (this.leading) return;
    this.leading = true;
    this.begun = false;
    this.flushed = NOTHING;
    this.kick();
  }

  /** To be called from time to time by the replica that leads: rebuilds removed and requested read models, and drops collections that no longer serve. */
  async verify(): Promise<void> {
    if (!this.leading) return;
    this.isMaintenanceDue = true;
    this.kick();
    await this.running;
  }

  follow(): void {
    this.leading = false;
    this.isInCharge = false;
    this.lag.forget();
    for (const { writer } of this.models.values()) writer.clear();
  }

  /** Whether this replica builds the read model. Throws RangeError for an unknown read model. */
  isBuilding(name: string): boolean {
    return this.model(name).writer.building !== undefined;
  }

  has(name: string): boolean {
    return this.models.has(name);
  }

  status(name: string): Promise<ReadModelStatus> {
    return this.model(name).status();
  }

  /** Rebuilds this read model beside the serving one. Throws RangeError for an unknown read model. */
  async rebuild(name: string): Promise<ReadModelStatus> {
    await this.model(name).requestBuild();
    await this.verify();
    return this.status(name);
  }

  statuses(): Promise<readonly ReadModelStatus[]> {
    return Promise.all([...this.models.values()].map(model => model.status()));
  }

  /** The position up to which the read models were written, as far as this replica knows. */
  get position(): number {
    return this.flushed;
  }

  /** Whether the read model includes everything up to `position`, as far as this replica knows; without a name: whether all do. */
  includes(position: number, name?: string): boolean {
    return this.flushed >= position && areServed(this.models, name);
  }

  /** Resolves to true when the read model, without a name every one, includes everything up to `position` within the time. */
  async waitFor(position: number, timeoutMs: number, name?: string): Promise<boolean> {
    if (this.includes(position, name)) return true;
    const reached = this.waiters.wait(position, timeoutMs, () => areServed(this.models, name));
    if (!this.isInCharge) this.poll.start();
    return reached;
  }

  async close(): Promise<void> {
    this.leading = false;
    this.poll.close();
    this.own.close();
    await this.running;
  }

  private model(name: string): BuiltModel {
    const model = this.models.get(name);
    if (!model) throw new RangeError(`no read model ${name}`);
    return model;
  }

  /** Resolves to the position that the writer has reached: this replica, or another one by the stored checkpoint. */
  async shownUpTo(): Promise<number> {
    return this.isWriting ? this.flushed : this.positions.get('checkpoint');
  }

  get positions(): StoredPositions {
    return this.bookkeeping.positions;
  }
  get isWriting(): boolean {
    return this.leading && this.begun;
  }

  private kick(): void {
    if (!this.leading || this.running) return;
    this.running = this.flush().then(
      () => this.rest(this.isBehind ? 0 : undefined),
      (error: unknown) => {
        if (error instanceof CatalogMovedError) this.begun = false;
        this.options.onError(error);
        this.rest(RETRY_MS);
      },
    );
  }

  private get isBehind(): boolean {
    const isBuilding = [...this.models.values()].some(({ writer }) => writer.building);
    return this.own.areWaiting || this.target > this.flushed || !this.begun || this.isMaintenanceDue || isBuilding;
  }

  private rest(nextMs: number | undefined): void {
    this.running = undefined;
    if (nextMs === 0) setImmediate(() => this.kick());
    else if (nextMs !== undefined) setTimeout(() => this.kick(), nextMs).unref();
  }

  private async flush(): Promise<void> {
    if (!this.begun) await this.begin();
    if (this.isMaintenanceDue) await this.maintain();
    const [position, mark] = [this.target, this.bookkeeping.log.last];
    this.lag.begin();
    this.own.taken();
    for (const { writer } of this.models.values()) await writer.flush(() => this.isWriting);
    // a replica that lost the leadership meanwhile has dropped what was not written
    if (!this.isWriting) return;
    if (isOneWritten(this.models) && position > this.flushed) {
      await this.positions.putCheckpoint(position, this.models.keys(), mark);
      this.reached(position);
    }
    if (isOneWritten(this.models)) this.lag.wrote(this.target > this.flushed);
    for (const model of this.models.values()) if (this.isWriting) await model.continueBuild(() => this.isWriting);
    this.waiters.reached(this.flushed);
  }

  private async maintain(): Promise<void> {
    this.isMaintenanceDue = false;
    const collections = await this.store.names();
    for (const model of this.models.values()) if (!(await model.maintain(collections))) return this.begin();
    await this.expired.remove(this.models.values(), () => this.isWriting);
  }

  private async begin(): Promise<void> {
    this.begun = true;
    this.isInCharge = false;
    try {
      const checkpoint = await this.bookkeeping.takeOver(this.models, this.options.onForeign);
      const { models } = this.positions;
      for (const model of this.models.values()) if (this.leading) await model.begin(checkpoint, models);
      this.isInCharge = this.isWriting;
      this.flushed = NOTHING;
      if (isOneWritten(this.models)) this.reached(checkpoint);
    } catch (error) {
      this.begun = false;
      throw error;
    }
  }

  private reached(position: number): void {
    this.flushed = Math.max(this.flushed, position);
    this.waiters.reached(this.flushed);
  }

  /** What the writer before has stored. Reads the checkpoint first: collections that serve afterwards include at least that. */
  private async readPosition(): Promise<void> {
    const position = await this.positions.checkpoint();
    const isOneServed = await refreshServed(this.models);
    if (position !== undefined && isOneServed && !this.isInCharge) this.reached(position);
  }
}
