import type { StoredDocument } from '@stave/platform';

/** The field with the name in lower case: names are compared without case. */
export const NAME_KEY = 'nameKey';
/** The field with every label as `key=value`: one index serves all label filters, and keys may contain dots. */
export const LABEL_PAIRS = 'labelPairs';

/** Returns the document with the fields that lists search by and clients do not see; collections for `listDocuments` hold these. */
export function listedDocument<D extends StoredDocument>(document: D): D {
  const { name, labels } = document;
  if (document['deleted'] === true) return document;
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${String(value)}`);
  return {
    ...document,
    ...(typeof name === 'string' ? { [NAME_KEY]: name.toLowerCase() } : {}),
    ...(pairs.length > 0 ? { [LABEL_PAIRS]: pairs } : {}),
  };
}

/** Returns the indexes of a list: one for each sort order, and one in the order of creation for each filter. Tombstones are kept apart. */
export function listIndexes(fields: {
  readonly indexedSorts: readonly string[];
  readonly indexedFilters: readonly string[];
}): readonly (readonly string[])[] {
  return [
    ...['createdAt', ...fields.indexedSorts].map(sort => ['deleted', sort, '_id']),
    ...['projectId', ...fields.indexedFilters].map(filter => ['deleted', filter, 'createdAt', '_id']),
  ];
}
