/** How a filter is meant: `name` has no case; a `reference` is an id or a name; an `id` has no prefix. */
export type FilterKind = 'name' | 'text' | 'id' | 'reference' | 'number' | 'boolean';

/** A filter: its kind, and its path in the document where that is another. */
export type ListFilter = FilterKind | readonly [kind: FilterKind, path: string];

/** What can be asked of the lists of one type. */
export interface ListFields {
  /** Fields that take `field=A,B` and, where they are text, `field~=prefix`. */
  readonly filters: Readonly<Record<string, ListFilter>>;
  readonly sorts: readonly string[];
  /** Whether `labels.key=value` is taken. */
  readonly labels?: boolean;
}

export const kindOf = (filter: ListFilter): FilterKind => (typeof filter === 'string' ? filter : filter[0]);
export const pathOf = (field: string, filter: ListFilter): string => (typeof filter === 'string' ? field : filter[1]);
export const hasPrefix = (filter: ListFilter): boolean => ['name', 'text'].includes(kindOf(filter));
