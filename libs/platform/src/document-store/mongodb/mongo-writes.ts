import { AnyBulkWriteOperation, Collection, Filter } from 'mongodb';
import { DocumentStoreUnavailableError, DocumentWrite, StoredDocument } from '../document-store.port.js';
import { failedPlaces, isDuplicateKey } from './mongo-errors.js';

const ATTEMPTS = 50;

/** The result of a batch for one `_id`: an unconditional write, then a guarded one. */
interface Steps {
  base?: DocumentWrite;
  guarded?: { readonly replace: StoredDocument };
}

/** Returns the position that guards a document; undefined when it has none. */
function positionOf(document: StoredDocument | undefined): number | undefined {
  const position = document?.['position'];
  return typeof position === 'number' ? position : undefined;
}

function add(steps: Steps, write: DocumentWrite): void {
  const position = 'replace' in write ? positionOf(write.replace) : undefined;
  if ('remove' in write || position === undefined) {
    steps.base = write;
    delete steps.guarded;
  } else if (steps.guarded === undefined || (positionOf(steps.guarded.replace) ?? position) < position) {
    steps.guarded = write;
  }
}

/**
 * Splits a batch into at most two rounds in which every `_id` occurs once. Each round may run in any order, with the
 * same result as the writes one after the other.
 */
export function roundsOf(writes: readonly DocumentWrite[]): readonly (readonly DocumentWrite[])[] {
  const byId = new Map<string, Steps>();
  for (const write of writes) {
    const id = 'remove' in write ? write.remove : write.replace._id;
    const steps = byId.get(id) ?? {};
    add(steps, write);
    byId.set(id, steps);
  }
  const rounds: [DocumentWrite[], DocumentWrite[]] = [[], []];
  for (const { base, guarded } of byId.values()) {
    if (base !== undefined) rounds[0].push(base);
    if (guarded !== undefined) rounds[base === undefined ? 0 : 1].push(guarded);
  }
  return rounds.filter(round => round.length > 0);
}

function olderThan(id: string, position: number): Filter<StoredDocument> {
  return { _id: id, $or: [{ position: { $lt: position } }, { position: { $exists: false } }] };
}

function operation(write: DocumentWrite): AnyBulkWriteOperation<StoredDocument> {
  if ('remove' in write) return { deleteOne: { filter: { _id: write.remove } } };
  const { replace } = write;
  const position = positionOf(replace);
  const filter = position === undefined ? { _id: replace._id } : olderThan(replace._id, position);
  return { replaceOne: { filter, replacement: replace, upsert: true } };
}

/**
 * Sends writes of different documents as unordered bulks of at most `maxBulk`. Error 11000 of a write means that a newer
 * document exists or that a concurrent upsert has inserted one: the positions of these documents alone are read, and the
 * writes that are newer are sent again as a bulk.
 */
export async function writeBulks(
  collection: Collection<StoredDocument>,
  writes: readonly DocumentWrite[],
  maxBulk: number,
): Promise<void> {
  for (let at = 0; at < writes.length; at += maxBulk) {
    let left = writes.slice(at, at + maxBulk);
    for (let attempt = 0; left.length > 0; attempt += 1) {
      if (attempt === ATTEMPTS) throw new DocumentStoreUnavailableError(CONTENDED);
      const refused = await refusedOf(collection, left);
      left = refused.length === 0 ? [] : await newerThanStored(collection, refused);
    }
  }
}

const CONTENDED = `documents were changed by other writers in each of ${ATTEMPTS} attempts; repeat the write`;

/** Sends one bulk, and returns the writes that met an existing `_id`; all when it is unknown which the server has tried. */
async function refusedOf(
  collection: Collection<StoredDocument>,
  writes: readonly DocumentWrite[],
): Promise<readonly DocumentWrite[]> {
  try {
    await collection.bulkWrite(writes.map(operation), { ordered: false });
    return [];
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    const places = failedPlaces(error, writes.filter(write => 'replace' in write).length);
    return places === undefined ? writes : writes.filter((_, place) => places.has(place));
  }
}

/** Returns the writes whose stored document is older, absent or without a position. */
async function newerThanStored(
  collection: Collection<StoredDocument>,
  writes: readonly DocumentWrite[],
): Promise<DocumentWrite[]> {
  const ids = writes.map(write => ('replace' in write ? write.replace._id : write.remove));
  const stored = await collection.find({ _id: { $in: ids } }, { projection: { position: 1 } }).toArray();
  const positions = new Map(stored.map(document => [document._id, positionOf(document)]));
  return writes.filter(write => {
    const position = 'replace' in write ? positionOf(write.replace) : undefined;
    const present = positions.get('replace' in write ? write.replace._id : write.remove);
    return position === undefined || present === undefined || present < position;
  });
}

/** Writes one document at a time, guarded ones after a read by `_id`; see `MongoOptions.ferret`. */
export async function writeSingly(
  collection: Collection<StoredDocument>,
  writes: readonly DocumentWrite[],
): Promise<void> {
  for (const write of writes) {
    if ('remove' in write) await collection.deleteOne({ _id: write.remove });
    else if (positionOf(write.replace) !== undefined) await settle(collection, write.replace);
    else await collection.replaceOne({ _id: write.replace._id }, write.replace, { upsert: true });
  }
}

/** Repeats a read and a conditional write until the stored document has this position or a higher one. */
async function settle(collection: Collection<StoredDocument>, document: StoredDocument): Promise<void> {
  const position = positionOf(document);
  if (position === undefined) return;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const present = await collection.findOne({ _id: document._id });
    const current = positionOf(present ?? undefined);
    if (current !== undefined && current >= position) return;
    if (!present && (await inserted(collection, document))) return;
    if (present && (await collection.replaceOne(olderThan(document._id, position), document)).matchedCount > 0) return;
  }
  throw new DocumentStoreUnavailableError(
    `${document._id} was changed by other writers in each of ${ATTEMPTS} attempts; repeat the write`,
  );
}

async function inserted(collection: Collection<StoredDocument>, document: StoredDocument): Promise<boolean> {
  try {
    await collection.insertOne(document);
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}
