import type { DocumentStore } from '@stave/platform';
import { CatalogMovedError, statusOf, type CatalogEntry, type ModelCatalog } from './model-catalog.js';
import { ModelWriter } from './model-writer.js';
import { versionOf, type ReadModelDefinition, type ReadModelStatus } from './read-model.js';
import { ServedCollection } from './served-collection.js';

const GRACE_MS = 60_000;
/** Milliseconds between two notes of the progress of a build. */
const NOTE_MS = 1_000;

export interface BuildOptions {
  /** Milliseconds for which a retired collection is kept for readers that still use it; default 60,000. */
  readonly graceMs?: number;
  /** Documents of a build that are written between two flushes of changed documents; default 1,000. */
  readonly buildStep?: number;
}

/** One read model: the collection that serves, the build of its successor, and retired collections. Calls must not overlap. */
export class BuiltModel {
  readonly writer: ModelWriter;
  readonly reader: ServedCollection;
  /** The catalog entry as this replica last read or wrote it. */
  private entry: CatalogEntry | undefined;
  private request: string | undefined;
  private notedAt = 0;
  /** When this replica first saw that a collection is retired. */
  private readonly retiredAt = new Map<string, number>();

  constructor(
    private readonly definition: ReadModelDefinition,
    private readonly store: DocumentStore,
    private readonly catalog: ModelCatalog,
    private readonly options: BuildOptions,
  ) {
    this.writer = new ModelWriter(definition, store, options.buildStep);
    this.reader = new ServedCollection(definition.name, store, catalog);
  }

  /**
   * Takes over: the serving collection includes everything up to `checkpoint`, where that is of this read model by `written`. A build that
   * another replica left is started again, and one begins where the last writer did not know this read model.
   */
  async begin(checkpoint: number, written: ReadonlySet<string> | undefined): Promise<void> {
    const { definition, writer, reader } = this;
    writer.restart();
    const entry = await this.catalog.load(definition.name);
    const serving = entry?.serving;
    await reader.use(serving?.collection);
    if (serving) await writer.resume(serving.collection, checkpoint);
    this.entry = entry;
    const isWritten = written?.has(definition.name) ?? !entry?.isNamed;
    const isCurrent = isWritten && serving?.version === versionOf(definition) && entry?.building === null;
    if (!isCurrent || !(await writer.agrees()) || (await this.isRequested())) await this.startBuild();
  }

  /** Writes a part of the build; a complete one serves from then on. To be called after the writer's `flush`. */
  async continueBuild(isLeading: () => boolean): Promise<void> {
    if (!this.writer.building) return;
    const isComplete = await this.writer.continueBuild(isLeading);
    if (isLeading()) await (isComplete ? this.switchOver() : this.noteProgress());
  }

  /**
   * Drops retired collections and those that no entry names, and starts requested builds. Returns false when the stored entry is not this
   * replica's. `collections`: all collections of the store.
   */
  async maintain(collections: readonly string[]): Promise<boolean> {
    // removed with the documents, or replaced by the late write of a former leader
    if ((await this.catalog.load(this.definition.name))?.writer !== this.entry?.writer) return false;
    await this.dropUnnamed(collections);
    await this.dropRetired();
    if (!this.writer.building && (await this.isRequested())) await this.startBuild();
    return true;
  }

  /** Removes documents that have expired, and tombstones of resources deleted before this time. */
  async expire(deletedBefore: string): Promise<void> {
    await this.writer.expire(deletedBefore);
  }

  async requestBuild(): Promise<void> {
    await this.catalog.request(this.definition.name);
  }

  async status(): Promise<ReadModelStatus> {
    const { name } = this.definition;
    return statusOf(this.definition, await this.catalog.load(name), await this.catalog.requested(name));
  }

  private async startBuild(): Promise<void> {
    const { definition, entry } = this;
    await definition.prepare?.();
    const request = await this.catalog.requested(definition.name);
    // a late request for a collection of a lost catalog must not reach a new one: no name is used again
    const generation = (entry?.generation ?? Date.now()) + 1;
    const collection = `${definition.name}@${generation}`;
    const total = Array.from(definition.all()).length;
    const startedAt = new Date().toISOString();
    const building = { collection, version: versionOf(definition), startedAt, written: 0, total };
    const retired = [...(entry?.retired ?? []), ...(entry?.building ? [entry.building.collection] : [])];
    await this.change({ generation, building, retired, isNamed: true });
    this.request = request;
    await this.store.drop(collection); // left by an earlier use of this store
    await this.writer.begin(collection);
  }

  private async switchOver(): Promise<void> {
    const { entry, request } = this;
    if (!entry?.building) throw new CatalogMovedError(this.definition.name);
    const { collection, version } = entry.building;
    const serving = { collection, version, builtAt: new Date().toISOString() };
    const retired = [...entry.retired, ...(entry.serving ? [entry.serving.collection] : [])];
    await this.change({ serving, building: null, fulfilled: request ?? entry.fulfilled, retired });
    if (!(await this.writer.hasCompleteBuild())) {
      await this.change({ serving: null, retired: [...retired, collection] });
      throw new CatalogMovedError(this.definition.name);
    }
    await this.reader.use(collection);
    this.writer.switchOver();
  }

  private async noteProgress(): Promise<void> {
    const { writer, entry, notedAt } = this;
    if (!entry?.building || !writer.building || performance.now() - notedAt < NOTE_MS) return;
    await this.change({ building: { ...entry.building, written: writer.building.written } });
    this.notedAt = performance.now();
  }

  /**
   * Drops what late writes of a former leader created after all documents were lost. An entry names a collection before it is created, and
   * the entry was read after `collections`: one that it does not name is never used again.
   */
  private async dropUnnamed(collections: readonly string[]): Promise<void> {
    const { serving, building, retired = [] } = this.entry ?? {};
    const named = new Set([serving?.collection, building?.collection, ...retired]);
    for (const name of collections)
      if (name.startsWith(`${this.definition.name}@`) && !named.has(name)) await this.store.drop(name);
  }

  private async dropRetired(): Promise<void> {
    const { entry, options } = this;
    if (!entry) return;
    const now = performance.now();
    const due = entry.retired.filter(name => {
      const since = this.retiredAt.get(name) ?? now;
      this.retiredAt.set(name, since);
      return now - since >= (options.graceMs ?? GRACE_MS);
    });
    if (due.length === 0) return;
    for (const name of due) {
      await this.store.drop(name);
      this.retiredAt.delete(name);
    }
    await this.change({ retired: entry.retired.filter(name => !due.includes(name)) });
  }

  private async isRequested(): Promise<boolean> {
    const request = await this.catalog.requested(this.definition.name);
    return request !== undefined && request !== this.entry?.fulfilled;
  }

  private async change(changes: Partial<CatalogEntry>): Promise<void> {
    this.entry = await this.catalog.change(this.definition.name, this.entry, changes);
  }
}
