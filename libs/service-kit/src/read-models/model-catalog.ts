import { randomUUID } from 'node:crypto';
import type { DocumentCollection, StoredDocument } from '@stave/platform';
import { versionOf, type ReadModelDefinition, type ReadModelStatus } from './read-model.js';

/** What is known of one read model's collections. */
export interface CatalogEntry extends Pick<ReadModelStatus, 'serving' | 'building'> {
  /** Counts collections: the next one's number follows. */
  readonly generation: number;
  /** The last request for a build that was begun after it and has reached its end. */
  readonly fulfilled: string | null;
  /** Collections that serve no more. */
  readonly retired: readonly string[];
  /** Counts changes of the entry. */
  readonly position: number;
}

const BLANK: CatalogEntry = {
  generation: 0,
  serving: null,
  building: null,
  fulfilled: null,
  retired: [],
  position: 0,
};

const keyOf = (model: string): string => `model:${model}`;
const requestOf = (model: string): string => `request:${model}`;

/** Another replica has changed the entry meanwhile. Nothing was changed. */
export class CatalogMovedError extends Error {
  constructor(model: string) {
    super(`another replica looks after the read model ${model} as well`);
    this.name = 'CatalogMovedError';
  }
}

/**
 * Which collection of a read model serves, and which is being built: one document for each read model. Two replicas may believe that they
 * lead; of two changes that begin with the same entry one is made (documents are guarded by their `position`).
 */
export class ModelCatalog {
  constructor(private readonly documents: DocumentCollection) {}

  /** Undefined when nothing was ever built, or it was wiped. */
  async load(model: string): Promise<CatalogEntry | undefined> {
    const found = await this.documents.get(keyOf(model));
    return found && entryIn(found);
  }

  /** Id of the last request to build it again. */
  async requested(model: string): Promise<string | undefined> {
    const id = (await this.documents.get(requestOf(model)))?.['request'];
    return typeof id === 'string' ? id : undefined;
  }

  /** Asks the replica that leads to build it again. */
  async request(model: string): Promise<void> {
    await this.documents.write([{ replace: { _id: requestOf(model), request: randomUUID() } }]);
  }

  /** Throws CatalogMovedError. */
  async change(
    model: string,
    before: CatalogEntry | undefined,
    changes: Partial<Omit<CatalogEntry, 'position'>>,
  ): Promise<CatalogEntry> {
    const known = before ?? BLANK;
    const next = { ...known, ...changes, position: known.position + 1 };
    const writer = randomUUID();
    await this.documents.write([{ replace: { _id: keyOf(model), ...next, writer } }]);
    const now = await this.documents.get(keyOf(model));
    if (now?.['writer'] !== writer) throw new CatalogMovedError(model);
    return next;
  }
}

function entryIn(document: StoredDocument): CatalogEntry {
  const { _id: _key, writer: _writer, ...entry } = document;
  return entry as unknown as CatalogEntry; // written by `change` only
}

/** For operators. */
export function statusOf(
  definition: ReadModelDefinition,
  entry: CatalogEntry = BLANK,
  request: string | undefined,
): ReadModelStatus {
  const { serving, building, fulfilled } = entry;
  const asked = request !== undefined && request !== fulfilled;
  const status = building ? 'BUILDING' : serving && !asked ? 'READY' : 'REQUESTED';
  return { name: definition.name, status, version: versionOf(definition), serving, building };
}
