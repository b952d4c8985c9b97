import type { JsonSchema } from '@stave/contracts/schemas';

/**
 * The meaning of a filter: `name` ignores case; `text` and `number` compare the value; `reference` is an id or a name; `optionalReference` can be empty, which selects resources
 * without the reference; `exact` takes no prefix.
 */
export type FilterKind = 'name' | 'text' | 'exact' | 'reference' | 'optionalReference' | 'number' | 'boolean';

/** The kind of a filter, with its path in the document where that differs from its name. */
export type ListFilter = FilterKind | readonly [kind: FilterKind, path: string] | OneOf;

export interface OneOf extends JsonSchema {
  readonly enum: readonly string[];
}

export interface ListFields {
  /** Fields that accept `field=A,B` and, for text, `field~=prefix`. */
  readonly filters: Readonly<Record<string, ListFilter>>;
  readonly sorts: readonly string[];
  /** Whether the list accepts `labels.key=value`. */
  readonly labels?: boolean;
}

/** Adds the filters and sort keys of every resource that has labels and belongs to a project. */
export const labelledList = (filters: ListFields['filters'], sorts: readonly string[]): ListFields => ({
  filters: { id: 'exact', name: 'name', projectId: 'reference', ...filters },
  sorts: ['createdAt', 'updatedAt', 'name', ...sorts],
  labels: true,
});

/** Declares the schema of a union from all its members; a missing member does not compile. */
export const unionOf =
  <T extends string>() =>
  <V extends readonly T[]>(...members: V & ([T] extends [V[number]] ? unknown : never)): OneOf => ({
    type: 'string',
    enum: members,
  });

const pairOf = (filter: ListFilter): readonly [kind: FilterKind, path?: string] => {
  if (typeof filter === 'string') return [filter];
  return isOneOf(filter) ? ['exact'] : filter;
};
export const isOneOf = (filter: ListFilter): filter is OneOf => typeof filter === 'object' && 'enum' in filter;
export const kindOf = (filter: ListFilter): FilterKind => pairOf(filter)[0];
export const pathOf = (field: string, filter: ListFilter): string => pairOf(filter)[1] ?? field;
export const isReference = (filter: ListFilter): boolean => ['reference', 'optionalReference'].includes(kindOf(filter));
export const hasPrefix = (filter: ListFilter): boolean => ['name', 'text'].includes(kindOf(filter));
