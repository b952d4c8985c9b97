import type { ListQuery, Page, ResourceDocument } from '@stave/contracts';
import { MemoryDocumentStore, type DocumentFilter, type DocumentReader, type StoredDocument } from '@stave/platform';
import { decodeCursor, encodeCursor, listKey } from './list-cursor.js';
import { LABEL_PAIRS, NAME_KEY, listedDocument } from './listed-document.js';
import { HIDDEN, PACKED, unpacked } from './packed-member.js';

const MAX_PAGE_BYTES = 900_000;

interface Shown {
  readonly item: ResourceDocument;
  readonly bytes: number;
}

/** Public documents by stored document: the in-process store returns the same frozen object until the document changes. */
const shown = new WeakMap<StoredDocument, Shown>();

/** Returns the document without the fields that clients do not see. Frozen. */
export const publicDocument = (document: StoredDocument): ResourceDocument => shownOf(document).item;

function shownOf(document: StoredDocument): Shown {
  const known = shown.get(document);
  if (known) return known;
  const {
    _id: _key,
    position: _position,
    deleted: _deleted,
    [NAME_KEY]: _name,
    [LABEL_PAIRS]: _labels,
    [PACKED]: packed,
    [HIDDEN]: _hidden,
    ...rest
  } = document;
  const item = Object.freeze({ ...rest, ...unpacked(packed) }) as unknown as ResourceDocument;
  const made = { item, bytes: JSON.stringify(item).length };
  if (Object.isFrozen(document) && packed === undefined) shown.set(document, made);
  return made;
}

const valueAt = (document: StoredDocument, path: string): unknown =>
  path.split('.').reduce<unknown>((v, key) => (v as Record<string, unknown> | undefined)?.[key], document);

/** Returns a filter for the documents after these values: greater in the first field, or equal there and greater in the next, and so on. */
function behind(sort: readonly (readonly [string, 1 | -1])[], values: readonly unknown[]): DocumentFilter {
  const options = sort.map(([field, direction], i) => {
    const equal = sort.slice(0, i).map(([f], j) => ({ [f]: values[j] ?? null }));
    const value = values[i] ?? null;
    const beyond =
      value === null
        ? { [field]: direction === 1 ? { $ne: null } : { $in: [] } }
        : { [field]: { [direction === 1 ? '$gt' : '$lt']: value } };
    const nulls = value !== null && direction === -1 ? [{ [field]: null }] : [];
    return { $and: [...equal, nulls.length > 0 ? { $or: [beyond, ...nulls] } : beyond] };
  });
  // as a separate condition, so that an index scan can start there
  const [first] = sort;
  const from = values[0] ?? null;
  if (!first || from === null || first[1] === -1) return { $or: options };
  return { $and: [{ [first[0]]: { $gte: from } }, { $or: options }] };
}

/**
 * Returns one page of the list `name` in a stable order; the cursor holds the sort values of the last item, so it stays valid while data
 * changes. Throws RefusedError `invalid-cursor` for a cursor of another list, order or filter.
 */
export async function listDocuments(
  name: string,
  collection: DocumentReader,
  query: ListQuery,
  scope: DocumentFilter,
): Promise<Page> {
  const requested = query.sort ?? [['createdAt', 1] as const];
  // in the direction of the last field, so that an index can be read in either direction
  const sort = [...requested, ['_id', requested.at(-1)?.[1] ?? 1] as const];
  const key = listKey(name, sort, [scope, query.filter]);
  const filter: DocumentFilter = { $and: [{ deleted: false }, scope, query.filter] };
  const after = query.cursor === undefined ? [] : [behind(sort, decodeCursor(query.cursor, key, sort.length))];
  const found = await collection.find({ $and: [filter, ...after] }, { sort, limit: query.limit + 1 });
  const items: ResourceDocument[] = [];
  let bytes = 0;
  let last: StoredDocument | undefined;
  for (const document of found.slice(0, query.limit)) {
    const { item, bytes: length } = shownOf(document);
    bytes += length;
    if (items.length > 0 && bytes > MAX_PAGE_BYTES) break;
    items.push(item);
    last = document;
  }
  const page = { items, ...(query.total ? { total: await collection.count(filter) } : {}) };
  if (!last || found.length === items.length) return { ...page, nextCursor: null };
  const values = sort.map(([field]) => valueAt(last, field) ?? null);
  return { ...page, nextCursor: encodeCursor(key, values) };
}

/**
 * Lists objects that no read model holds, such as live conductors: filtered, sorted and paged like resources, by default in the order of
 * their ids. Without a query it returns all of them.
 */
export async function listItems(
  name: string,
  items: readonly { readonly id: string }[],
  query?: Partial<ListQuery>,
): Promise<Page> {
  const collection = await new MemoryDocumentStore().collection(name);
  await collection.write(items.map(item => ({ replace: listedDocument({ ...item, _id: item.id, deleted: false }) })));
  return listDocuments(name, collection, { limit: items.length, sort: [], filter: {}, ...query }, {});
}
