import type { StoredDocument } from '@stave/platform';

/** The name in lower case: names are compared without case. */
export const NAME_KEY = 'nameKey';
/** Every label as `key=value`: one index serves all label filters, and keys may have dots. */
export const LABEL_PAIRS = 'labelPairs';

const pairsOf = (labels: object): string[] => Object.entries(labels).map(([key, value]) => `${key}=${String(value)}`);

/** The document with what lists search by and clients do not see; whoever fills a collection for `listDocuments` writes this. */
export function listedDocument<D extends StoredDocument>(document: D): D {
  const { name, labels } = document;
  if (document['deleted'] === true) return document;
  const labelled = typeof labels === 'object' && labels !== null && Object.keys(labels).length > 0;
  return {
    ...document,
    ...(typeof name === 'string' ? { [NAME_KEY]: name.toLowerCase() } : {}),
    ...(labelled ? { [LABEL_PAIRS]: pairsOf(labels) } : {}),
  };
}

/**
 * Indexes for a list: one for each order, and for each field of many values that it is filtered by one in the order of creation.
 * What is deleted stays as a mark and is in none of the parts that a list reads.
 */
export function listIndexes(fields: {
  readonly sorts: readonly string[];
  readonly filters: readonly string[];
}): readonly (readonly string[])[] {
  return [
    ...['createdAt', ...fields.sorts].map(sort => ['deleted', sort, '_id']),
    ...['projectId', ...fields.filters].map(filter => ['deleted', filter, 'createdAt', '_id']),
  ];
}
