/**
 * The meaning of a filter: `name` ignores case; `reference` is an id or a name; `openReference` can be empty, which selects resources
 * without the reference; `id` takes no prefix.
 */
export type FilterKind = 'name' | 'text' | 'id' | 'reference' | 'openReference' | 'number' | 'boolean';

/** The kind of a filter, with its path in the document where that differs from its name. */
export type ListFilter = FilterKind | readonly [kind: FilterKind, path: string] | OneOf;

/** A field with a closed set of values. */
export interface OneOf {
  readonly oneOf: readonly string[];
}

/** The filters and sort keys of the list of one resource type. */
export interface ListFields {
  /** Fields that accept `field=A,B` and, for text, `field~=prefix`. */
  readonly filters: Readonly<Record<string, ListFilter>>;
  readonly sorts: readonly string[];
  /** Whether the list accepts `labels.key=value`. */
  readonly labels?: boolean;
}

export const knownOf = (filter: ListFilter): readonly string[] | undefined =>
  typeof filter === 'object' && 'oneOf' in filter ? filter.oneOf : undefined;
const pairOf = (filter: ListFilter): readonly [kind: FilterKind, path?: string] => {
  if (typeof filter === 'string') return [filter];
  return 'oneOf' in filter ? ['id'] : filter;
};
export const kindOf = (filter: ListFilter): FilterKind => pairOf(filter)[0];
export const pathOf = (field: string, filter: ListFilter): string => pairOf(filter)[1] ?? field;
export const isReference = (filter: ListFilter): boolean => ['reference', 'openReference'].includes(kindOf(filter));
export const hasPrefix = (filter: ListFilter): boolean => ['name', 'text'].includes(kindOf(filter));
