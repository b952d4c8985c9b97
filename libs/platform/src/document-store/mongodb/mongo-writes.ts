import { AnyBulkWriteOperation, Collection, Filter } from 'mongodb';
import { DocumentStoreUnavailableError, DocumentWrite, StoredDocument } from '../document-store.port.js';
import { isDuplicateKey } from './mongo-errors.js';
import { positionOf } from './write-rounds.js';

const ATTEMPTS = 50;

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
 * Sends writes of different documents as unordered bulks of at most `maxBulk`. A guarded upsert that finds no older document inserts; error
 * 11000 then means that a document exists: a newer one, or one that a concurrent upsert inserted meanwhile. The guarded writes of such a
 * bulk are therefore repeated one by one.
 */
export async function writeBulks(
  collection: Collection<StoredDocument>,
  writes: readonly DocumentWrite[],
  maxBulk: number,
): Promise<void> {
  for (let at = 0; at < writes.length; at += maxBulk) {
    const part = writes.slice(at, at + maxBulk);
    try {
      await collection.bulkWrite(part.map(operation), { ordered: false });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      for (const write of part) if ('replace' in write) await settle(collection, write.replace);
    }
  }
}

/** Writes one document at a time, guarded ones after a read by `_id`, for servers where any other filter scans the collection. */
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
    const there = positionOf(present ?? undefined);
    if (there !== undefined && there >= position) return;
    if (present === null ? await inserted(collection, document) : await replaced(collection, document, position))
      return;
  }
  throw new DocumentStoreUnavailableError(`${document._id} is changed by others all the time`);
}

async function replaced(
  collection: Collection<StoredDocument>,
  document: StoredDocument,
  position: number,
): Promise<boolean> {
  const { matchedCount } = await collection.replaceOne(olderThan(document._id, position), document);
  return matchedCount > 0;
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
