import { isDeepStrictEqual } from 'node:util';
import type { DocumentCollection, DocumentStore, StoredDocument } from '@stave/platform';
import { listedDocument } from './listed-document.js';
import type { ReadModelDefinition } from './read-model.js';

/** Documents that are written at once, unless the store takes fewer; a replica that ends writes no others after them. */
const BATCH = 200;
const BUILD_STEP = 1_000;
const SAMPLE = 100;
/** Expired documents that one call removes. */
const EXPIRED_AT_ONCE = 5_000;

interface Build {
  readonly collection: DocumentCollection;
  readonly ids: readonly string[];
  /** The number of ids that are done. */
  written: number;
  /** The number of documents that the collection holds at least. */
  documents: number;
}

/** Writes the documents of one read model: changed ones into the serving collection, and all into the one that is being built. */
export class ModelWriter {
  private readonly dirty = new Set<string>();
  private serving: DocumentCollection | undefined;
  private build: Build | undefined;

  constructor(
    private readonly definition: ReadModelDefinition,
    private readonly store: DocumentStore,
    private readonly buildStep = BUILD_STEP,
  ) {}

  /** The progress of the current build; undefined without one. */
  get building(): { readonly written: number } | undefined {
    return this.build;
  }

  get isServed(): boolean {
    return this.serving !== undefined;
  }

  mark(id: string): void {
    this.dirty.add(id);
  }

  /** Forgets everything: another replica writes from now on. */
  clear(): void {
    this.dirty.clear();
    this.restart();
  }

  /**
   * Forgets the collections: this replica starts again. What was marked stays marked: a document may have been written from a state that was
   * ahead of the feed in one of its streams, and its position does not show that.
   */
  restart(): void {
    this.serving = undefined;
    this.build = undefined;
  }

  /** Continues with the serving collection, which includes everything up to `checkpoint`. */
  async resume(collection: string, checkpoint: number): Promise<void> {
    const { definition } = this;
    this.serving = await this.store.collection(collection, definition.indexes);
    for (const [id, position] of definition.all()) if (position > checkpoint) this.dirty.add(id);
  }

  /** Returns whether a sample of the stored documents equals what this release would write. */
  async agrees(): Promise<boolean> {
    const { definition, serving } = this;
    const ids: string[] = [];
    for (const [id] of definition.all()) {
      if (ids.length >= SAMPLE) break;
      if (!this.dirty.has(id)) ids.push(id);
    }
    const stored = ids.length === 0 ? [] : ((await serving?.getMany(ids)) ?? []);
    return stored.every(document => {
      const current = this.document(document._id);
      return (
        !current || current.position !== document['position'] || isDeepStrictEqual(plain(current), plain(document))
      );
    });
  }

  /** Starts a build in a collection that has no readers. */
  async begin(name: string): Promise<void> {
    const collection = await this.store.collection(name, this.definition.indexes);
    this.build = { collection, ids: Array.from(this.definition.all(), ([id]) => id), written: 0, documents: 0 };
  }

  /** Resolves when everything that changed since the last call is written, or the rest is left to another replica because `isWriting` no longer holds. */
  async flush(isWriting: () => boolean = () => true): Promise<void> {
    const { dirty, serving, build } = this;
    const ids = [...dirty];
    dirty.clear();
    const targets = [serving, build?.collection].flatMap(collection => collection ?? []);
    const size = this.store.writesAtOnce ?? BATCH;
    for (let i = 0; i < ids.length && isWriting(); i += size) {
      try {
        await this.write(ids.slice(i, i + size), targets);
      } catch (error) {
        for (const id of ids.slice(i)) dirty.add(id);
        throw error;
      }
    }
  }

  /** Writes the next part of the build while `isWriting` holds. Returns whether it includes everything up to the last `flush`. */
  async continueBuild(isWriting: () => boolean = () => true): Promise<boolean> {
    const { build } = this;
    if (!build) return false;
    const until = Math.min(build.ids.length, build.written + this.buildStep);
    while (build.written < until && isWriting()) {
      const next = Math.min(until, build.written + (this.store.writesAtOnce ?? BATCH));
      build.documents += await this.write(build.ids.slice(build.written, next), [build.collection]);
      build.written = next;
    }
    return build.written >= build.ids.length;
  }

  /** Returns whether the built collection still holds what was written to it. */
  async hasCompleteBuild(): Promise<boolean> {
    const { build } = this;
    return build !== undefined && (await build.collection.count({})) >= build.documents;
  }

  /** Makes the built collection the serving one. */
  switchOver(): void {
    this.serving = this.build?.collection;
    this.build = undefined;
  }

  /** Removes documents from the serving collection that have expired, and tombstones of resources deleted before this time. */
  async expire(deletedBefore: string): Promise<void> {
    const isOld = [{ deletedAt: { $lt: deletedBefore } }, { deletedAt: { $exists: false } }];
    const filters = [{ deleted: true, $or: isOld }, this.definition.expired?.()];
    for (const filter of filters) {
      const found = filter && (await this.serving?.find(filter, { limit: EXPIRED_AT_ONCE }));
      if (found && found.length > 0) await this.serving?.write(found.map(({ _id }) => ({ remove: _id })));
    }
  }

  private document(id: string): (StoredDocument & { readonly position: number }) | undefined {
    const document = this.definition.document(id);
    return document && listedDocument(document);
  }

  /** Returns the number of documents. */
  private async write(ids: readonly string[], to: readonly DocumentCollection[]): Promise<number> {
    const writes = ids.flatMap(id => this.document(id) ?? []).map(document => ({ replace: document }));
    if (writes.length > 0) await Promise.all(to.map(collection => collection.write(writes)));
    return writes.length;
  }
}

const plain = (document: StoredDocument): unknown => JSON.parse(JSON.stringify(document));
