import type { ListQuery } from '@stave/contracts';
import { LABEL_PAIRS, NAME_KEY } from '@stave/service-kit';
import {
  hasPrefix,
  isReference,
  kindOf,
  pathOf,
  type FilterKind,
  type ListFields,
  type ListFilter,
} from '../schemas/list-fields.js';

type Query = Readonly<Record<string, unknown>>;

const DEFAULT_LIMIT = 50;
const noFields: ListFields = { filters: {}, sorts: [] };
const LABEL = 'labels.';

const anyOf = (values: readonly unknown[]): unknown => (values.length === 1 ? values[0] : { $in: values });
const prefix = (value: string): unknown => ({ $regex: `^${value.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')}` });
const splitAt = (key: string): readonly [string, boolean] =>
  key.endsWith('~') ? [key.slice(0, -1), true] : [key, false];

const values: Readonly<Record<FilterKind, (text: string) => unknown>> = {
  name: text => text.toLowerCase(),
  text: text => text,
  exact: text => text,
  reference: text => text,
  openReference: text => text,
  number: Number,
  boolean: text => text === 'true',
};

/** The value of a label can contain commas, so the complete text matches as well as its parts. */
function labelFilter(key: string, value: string, isPrefix: boolean): Query {
  if (isPrefix) return { [LABEL_PAIRS]: prefix(`${key}=${value}`) };
  const accepted = new Set([...value.split(','), value]);
  return { [LABEL_PAIRS]: anyOf([...accepted].map(one => `${key}=${one}`)) };
}

function fieldFilter(field: string, filter: ListFilter, value: string, isPrefix: boolean): Query {
  const kind = kindOf(filter);
  const path = kind === 'name' ? NAME_KEY : pathOf(field, filter);
  if (isPrefix) return { [path]: prefix(String(values[kind](value))) };
  return { [path]: anyOf([...new Set(value.split(','))].map(values[kind])) };
}

function filtersOf(query: Query, { filters }: ListFields): Query[] {
  return Object.entries(query).flatMap(([key, value]) => {
    const [field, isPrefix] = splitAt(key);
    const filter = filters[field];
    if (field.startsWith(LABEL)) return [labelFilter(field.slice(LABEL.length), String(value), isPrefix)];
    if (!filter || (isReference(filter) && !isPrefix)) return [];
    return [fieldFilter(field, filter, String(value), isPrefix && hasPrefix(filter))];
  });
}

function referencesOf(query: Query, { filters }: ListFields): Readonly<Record<string, readonly string[]>> {
  const found = Object.entries(filters).flatMap(([field, filter]) => {
    const value = query[field];
    if (!isReference(filter) || value === undefined) return [];
    return [[pathOf(field, filter), [...new Set(String(value).split(','))]] as const];
  });
  return Object.fromEntries(found);
}

function sortOf(value: unknown, { filters }: ListFields): ListQuery['sort'] {
  if (typeof value !== 'string') return undefined;
  const pathFor = (field: string): string => {
    const filter = filters[field];
    if (!filter) return field;
    return kindOf(filter) === 'name' ? NAME_KEY : pathOf(field, filter);
  };
  return value
    .split(',')
    .map(field => (field.startsWith('-') ? ([pathFor(field.slice(1)), -1] as const) : ([pathFor(field), 1] as const)));
}

/** Converts the validated query of a list with these fields into the query that services take. */
export function listQueryOf(query: Query, fields: ListFields = noFields): ListQuery {
  const sort = sortOf(query['sort'], fields);
  const cursor = query['cursor'];
  const parts = filtersOf(query, fields);
  const references = referencesOf(query, fields);
  return {
    limit: typeof query['limit'] === 'number' ? query['limit'] : DEFAULT_LIMIT,
    filter: parts.length < 2 ? (parts[0] ?? {}) : { $and: parts },
    ...(Object.keys(references).length > 0 ? { references } : {}),
    ...(typeof cursor === 'string' ? { cursor } : {}),
    ...(sort ? { sort } : {}),
    ...(query['total'] === true ? { total: true } : {}),
  };
}
