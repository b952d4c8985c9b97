import type { DocumentCollection, DocumentReader, DocumentStore } from '@stave/platform';
import { CatalogMovedError, ModelCatalog, statusOf, type CatalogEntry } from './model-catalog.js';
import { ModelWriter } from './model-writer.js';
import { versionOf, type ReadModelDefinition, type ReadModelStatus } from './read-model.js';
import { ServedCollection } from './served-collection.js';

const GRACE_MS = 60_000;
/** Between two notes of how far a build is. */
const NOTE_MS = 1_000;

interface Model {
  readonly definition: ReadModelDefinition;
  readonly writer: ModelWriter;
  readonly reader: ServedCollection;
  /** As this replica has left it. */
  entry?: CatalogEntry;
  /** The request that the build under way answers. */
  request?: string;
  notedAt: number;
}

/** All read models of a service: which collection of each serves, what is being built beside it, and what can go. Calls must follow each other. */
export class ReadModelBuilds {
  private readonly catalog: ModelCatalog;
  private readonly graceMs: number;
  private readonly models = new Map<string, Model>();
  /** When this replica first saw that a collection serves no more. */
  private readonly retiredAt = new Map<string, number>();

  constructor(
    private readonly store: DocumentStore,
    documents: DocumentCollection,
    definitions: readonly ReadModelDefinition[],
    { graceMs = GRACE_MS, buildStep }: { readonly graceMs?: number; readonly buildStep?: number } = {},
  ) {
    this.graceMs = graceMs;
    this.catalog = new ModelCatalog(documents);
    for (const definition of definitions) {
      const reader = new ServedCollection(definition.name, store, this.catalog);
      const writer = new ModelWriter(definition, store, buildStep);
      this.models.set(definition.name, { definition, reader, writer, notedAt: 0 });
    }
  }

  served(name: string): DocumentReader {
    return this.model(name).reader;
  }

  mark(name: string, id: string): void {
    this.models.get(name)?.writer.mark(id);
  }

  /** Every read model can be read. */
  get isWhole(): boolean {
    return this.all.every(({ writer }) => writer.isServed);
  }

  get isBuilding(): boolean {
    return this.all.some(({ writer }) => writer.building);
  }

  /** Another replica leads as well: what this one knows does not hold any more. */
  isLost(error: unknown): boolean {
    return error instanceof CatalogMovedError;
  }

  forget(): void {
    for (const { writer } of this.all) writer.clear();
  }

  /** Takes over: what serves has everything up to `checkpoint`. A build that another replica has left is begun again. */
  async begin(checkpoint: number): Promise<void> {
    for (const model of this.all) {
      const { definition, writer, reader } = model;
      writer.clear();
      const entry = await this.catalog.load(definition.name);
      const serving = entry?.serving;
      await reader.use(serving?.collection);
      if (serving) await writer.resume(serving.collection, checkpoint);
      this.know(model, entry);
      const right = serving?.version === versionOf(definition) && entry?.building === null && (await writer.agrees());
      if (!right || (await this.isWanted(model))) await this.start(model);
    }
  }

  /** What changed is written when it resolves. */
  async flush(): Promise<void> {
    for (const { writer } of this.all) await writer.flush();
  }

  /** A part of each build; what is whole then serves from now on. To be called after `flush`. */
  async goOn(leads: () => boolean): Promise<void> {
    for (const model of this.all) {
      if (!model.writer.building) continue;
      const whole = await model.writer.goOn();
      if (!leads()) return;
      await (whole ? this.switchOver(model) : this.note(model));
    }
  }

  /** Drops what serves no more, begins what was asked for. `wiped`: somebody removed what this replica knew. */
  async lookAfter(): Promise<'wiped' | 'well'> {
    for (const model of this.all) {
      const entry = await this.catalog.load(model.definition.name);
      if (!entry && model.entry) return 'wiped';
      await this.sweep(model);
      if (!model.writer.building && (await this.isWanted(model))) await this.start(model);
    }
    return 'well';
  }

  async request(name: string): Promise<void> {
    await this.catalog.request(this.model(name).definition.name);
  }

  async status(name: string): Promise<ReadModelStatus> {
    const { definition } = this.model(name);
    return statusOf(definition, await this.catalog.load(name), await this.catalog.requested(name));
  }

  /** Looks up what serves; true when every read model can be read. */
  async refresh(): Promise<boolean> {
    const served = await Promise.all(this.all.map(({ reader }) => reader.refresh()));
    return served.every(Boolean);
  }

  private async start(model: Model): Promise<void> {
    const { definition, writer, entry } = model;
    const request = await this.catalog.requested(definition.name);
    const generation = (entry?.generation ?? 0) + 1;
    const collection = `${definition.name}@${generation}`;
    const total = Array.from(definition.all()).length;
    const startedAt = new Date().toISOString();
    const building = { collection, version: versionOf(definition), startedAt, written: 0, total };
    const left = entry?.building ? [entry.building.collection] : [];
    const retired = [...(entry?.retired ?? []), ...left];
    this.know(model, await this.catalog.change(definition.name, entry, { generation, building, retired }));
    if (request === undefined) delete model.request;
    else model.request = request;
    await this.store.drop(collection); // of an earlier life of this store
    await writer.begin(collection);
  }

  private async switchOver(model: Model): Promise<void> {
    const { definition, writer, reader, entry, request = null } = model;
    if (!entry?.building) throw new CatalogMovedError(definition.name);
    const { collection, version } = entry.building;
    const serving = { collection, version, builtAt: new Date().toISOString() };
    const retired = [...entry.retired, ...(entry.serving ? [entry.serving.collection] : [])];
    const changes = { serving, building: null, fulfilled: request ?? entry.fulfilled, retired };
    this.know(model, await this.catalog.change(definition.name, entry, changes));
    await reader.use(collection);
    writer.switchOver();
  }

  private async note(model: Model): Promise<void> {
    const { definition, writer, entry, notedAt } = model;
    if (!entry?.building || !writer.building || performance.now() - notedAt < NOTE_MS) return;
    const building = { ...entry.building, written: writer.building.written };
    this.know(model, await this.catalog.change(definition.name, entry, { building }));
    model.notedAt = performance.now();
  }

  private async sweep(model: Model): Promise<void> {
    const { definition, entry } = model;
    const now = performance.now();
    const due = entry?.retired.filter(name => {
      const since = this.retiredAt.get(name) ?? now;
      this.retiredAt.set(name, since);
      return now - since >= this.graceMs;
    });
    if (!entry || !due || due.length === 0) return;
    for (const name of due) {
      await this.store.drop(name);
      this.retiredAt.delete(name);
    }
    const retired = entry.retired.filter(name => !due.includes(name));
    this.know(model, await this.catalog.change(definition.name, entry, { retired }));
  }

  /** Whether somebody wants it built again since the last build was begun. */
  private async isWanted({ definition, entry }: Model): Promise<boolean> {
    const request = await this.catalog.requested(definition.name);
    return request !== undefined && request !== entry?.fulfilled;
  }

  private know(model: Model, entry: CatalogEntry | undefined): void {
    if (entry) model.entry = entry;
    else delete model.entry;
  }

  private get all(): readonly Model[] {
    return [...this.models.values()];
  }

  private model(name: string): Model {
    const model = this.models.get(name);
    if (!model) throw new RangeError(`no read model ${name}`);
    return model;
  }
}
