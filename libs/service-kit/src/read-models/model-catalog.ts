import { randomUUID } from 'node:crypto';
import type { DocumentCollection, StoredDocument } from '@stave/platform';
import { keyIn } from './source-log.js';
import { versionOf, type ReadModelDefinition, type ReadModelStatus } from './read-model.js';

export interface CatalogEntry extends Pick<ReadModelStatus, 'serving' | 'building'> {
  /** The number of the newest collection; the first one is a time, so that numbers are not used again when the entry was lost. */
  readonly generation: number;
  /** The last request that a completed build has answered. */
  readonly fulfilled: string | null;
  readonly retired: readonly string[];
  /** Whether it was built by a release that names the read models of a checkpoint. */
  readonly isNamed?: boolean;
  readonly position: number;
  readonly writer: string;
}

const BLANK: CatalogEntry = {
  generation: 0,
  serving: null,
  building: null,
  fulfilled: null,
  retired: [],
  position: 0,
  writer: '',
};

/** The stored entry is not the one that this replica knows: another replica changed it, or the documents were lost. */
export class CatalogMovedError extends Error {
  constructor(model: string) {
    super(
      `another replica has changed the read model ${model}, or its documents were lost; this one starts again from the stored catalog`,
    );
    this.name = 'CatalogMovedError';
  }
}

/**
 * Stores which collection of a read model serves, and which is being built: one document for each read model. Two replicas may believe that
 * they lead; of two changes of the same entry one is made (documents are guarded by their `position`).
 */
export class ModelCatalog {
  /** `log`: the identity of the log that the read models are made from. */
  constructor(
    private readonly documents: DocumentCollection,
    private readonly log: string,
  ) {}

  /** Resolves to undefined where nothing was built, or the entry was removed. */
  async load(model: string): Promise<CatalogEntry | undefined> {
    const found = await this.documents.get(this.keyOf(model));
    return found && entryIn(found);
  }

  async requested(model: string): Promise<string | undefined> {
    const id = (await this.documents.get(this.requestOf(model)))?.['request'];
    return typeof id === 'string' ? id : undefined;
  }

  /** Requests a build from the replica that leads. */
  async request(model: string): Promise<void> {
    await this.documents.write([{ replace: { _id: this.requestOf(model), request: randomUUID() } }]);
  }

  /** Replaces the entry `before`. Throws CatalogMovedError when the stored entry is another one, or was lost. */
  async change(model: string, before: CatalogEntry | undefined, changes: Partial<CatalogEntry>): Promise<CatalogEntry> {
    const { position, ...known } = before ?? BLANK;
    await this.requireWriter(model, before?.writer);
    const next = { ...known, ...changes, position: position + 1, writer: randomUUID() };
    await this.documents.write([{ replace: { _id: this.keyOf(model), ...next } }]);
    await this.requireWriter(model, next.writer);
    return next;
  }

  /** Forgets which collections serve or are being built; requests remain. */
  async forget(models: readonly string[]): Promise<void> {
    await this.documents.write(models.map(model => ({ remove: this.keyOf(model) })));
  }

  private keyOf(model: string): string {
    return keyIn(this.log, `model:${model}`);
  }

  private requestOf(model: string): string {
    return keyIn(this.log, `request:${model}`);
  }

  private async requireWriter(model: string, writer: string | undefined): Promise<void> {
    if ((await this.load(model))?.writer !== writer) throw new CatalogMovedError(model);
  }
}

function entryIn(document: StoredDocument): CatalogEntry {
  const { _id: _key, ...entry } = document;
  return entry as unknown as CatalogEntry; // written by `change` only
}

export function statusOf(
  definition: ReadModelDefinition,
  entry: CatalogEntry = BLANK,
  request: string | undefined,
): ReadModelStatus {
  const { serving, building, fulfilled } = entry;
  const isRequested = request !== undefined && request !== fulfilled;
  const status = building ? 'BUILDING' : serving && !isRequested ? 'READY' : 'REQUESTED';
  return { name: definition.name, status, version: versionOf(definition), serving, building };
}
