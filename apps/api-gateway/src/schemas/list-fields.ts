/**
 * How a filter is meant: `name` has no case; a `reference` is an id or a name; an `openReference` may be of nothing (empty text); an `id` has
 * no prefix.
 */
export type FilterKind = 'name' | 'text' | 'id' | 'reference' | 'openReference' | 'number' | 'boolean';

/** A filter: its kind, and its path in the document where that is another. */
export type ListFilter = FilterKind | readonly [kind: FilterKind, path: string] | OneOf;

/** Nothing else is ever in the field. */
export interface OneOf {
  readonly oneOf: readonly string[];
}

/** What can be asked of the lists of one type. */
export interface ListFields {
  /** Fields that take `field=A,B` and, where they are text, `field~=prefix`. */
  readonly filters: Readonly<Record<string, ListFilter>>;
  readonly sorts: readonly string[];
  /** Whether `labels.key=value` is taken. */
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
