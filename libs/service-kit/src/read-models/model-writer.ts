import { isDeepStrictEqual } from 'node:util';
import type { DocumentCollection, DocumentStore, DocumentWrite, StoredDocument } from '@stave/platform';
import { listedDocument } from './listed-document.js';
import type { ReadModelDefinition } from './read-model.js';

const BATCH = 500;
const BUILD_STEP = 1_000;
const SAMPLE = 100;

interface Build {
  readonly name: string;
  readonly collection: DocumentCollection;
  readonly ids: readonly string[];
  written: number;
}

/** Writes the documents of one read model: what changed into the collection that serves, and everything into one that is being built. */
export class ModelWriter {
  private readonly dirty = new Set<string>();
  private serving: DocumentCollection | undefined;
  private build: Build | undefined;

  constructor(
    readonly definition: ReadModelDefinition,
    private readonly store: DocumentStore,
    private readonly buildStep = BUILD_STEP,
  ) {}

  /** Undefined when none is under way. */
  get building(): { readonly name: string; readonly written: number; readonly total: number } | undefined {
    const { build } = this;
    return build && { name: build.name, written: build.written, total: build.ids.length };
  }

  get isServed(): boolean {
    return this.serving !== undefined;
  }

  mark(id: string): void {
    this.dirty.add(id);
  }

  /** Forgets everything: another replica writes from now on, or it begins again. */
  clear(): void {
    this.dirty.clear();
    this.serving = undefined;
    this.build = undefined;
  }

  /** The collection that serves has everything up to `checkpoint`. */
  async resume(collection: string, checkpoint: number): Promise<void> {
    const { definition } = this;
    this.serving = await this.store.collection(collection, definition.indexes);
    for (const [id, position] of definition.all()) if (position > checkpoint) this.dirty.add(id);
  }

  /** Whether stored documents of a sample are those that would be written today. */
  async agrees(): Promise<boolean> {
    const { definition, serving } = this;
    const ids: string[] = [];
    for (const [id] of definition.all()) {
      if (ids.length >= SAMPLE) break;
      if (!this.dirty.has(id)) ids.push(id);
    }
    const stored = ids.length === 0 ? [] : ((await serving?.getMany(ids)) ?? []);
    return stored.every(document => {
      const today = this.document(document._id);
      return !today || today.position !== document['position'] || isDeepStrictEqual(plain(today), plain(document));
    });
  }

  /** Begins with a collection that nobody reads. */
  async begin(name: string): Promise<void> {
    const collection = await this.store.collection(name, this.definition.indexes);
    this.build = { name, collection, ids: Array.from(this.definition.all(), ([id]) => id), written: 0 };
  }

  /** What changed since the last call is written when it resolves. */
  async flush(): Promise<void> {
    const { dirty, serving, build } = this;
    const ids = [...dirty];
    dirty.clear();
    const targets = [serving, build?.collection].flatMap(collection => collection ?? []);
    for (let i = 0; i < ids.length; i += BATCH) {
      try {
        await this.write(ids.slice(i, i + BATCH), targets);
      } catch (error) {
        for (const id of ids.slice(i)) dirty.add(id);
        throw error;
      }
    }
  }

  /** Writes on; true when what is being built has everything that was handed in by the last `flush`. */
  async goOn(): Promise<boolean> {
    const { build } = this;
    if (!build) return false;
    const until = Math.min(build.ids.length, build.written + this.buildStep);
    while (build.written < until) {
      const next = Math.min(until, build.written + BATCH);
      await this.write(build.ids.slice(build.written, next), [build.collection]);
      build.written = next;
    }
    return build.written >= build.ids.length;
  }

  /** What was built serves from now on. */
  switchOver(): void {
    this.serving = this.build?.collection;
    this.build = undefined;
  }

  private document(id: string): (StoredDocument & { readonly position: number }) | undefined {
    const document = this.definition.document(id);
    return document && listedDocument(document);
  }

  private async write(ids: readonly string[], to: readonly DocumentCollection[]): Promise<void> {
    const writes = ids.flatMap((id): DocumentWrite[] => {
      const document = this.document(id);
      return document ? [{ replace: document }] : [];
    });
    if (writes.length > 0) await Promise.all(to.map(collection => collection.write(writes)));
  }
}

/** As a store keeps it. */
const plain = (document: StoredDocument): unknown => JSON.parse(JSON.stringify(document));
