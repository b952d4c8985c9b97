import type { ListQuery } from '@stave/contracts';
import { LABEL_PAIRS, NAME_KEY } from '@stave/service-kit';
import { omitUndefined } from '@stave/domain';
import type { Values } from '../http/call.js';
import { hasPrefix, isReference, kindOf, pathOf, type ListFields, type ListFilter } from '../schemas/list-fields.js';

const DEFAULT_LIMIT = 50;
const LABEL = 'labels.';

export const limitOf = ({ limit }: Values): number => (typeof limit === 'number' ? limit : DEFAULT_LIMIT);

export const anyOf = (values: readonly unknown[]): unknown => (values.length === 1 ? values[0] : { $in: values });

const prefix = (value: string): unknown => ({ $regex: `^${value.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')}` });

function valueOf(filter: ListFilter, text: string): unknown {
  const kind = kindOf(filter);
  if (kind === 'name') return text.toLowerCase();
  if (kind === 'number') return Number(text);
  return kind === 'boolean' ? text === 'true' : text;
}

const pathIn = (field: string, filter: ListFilter): string =>
  kindOf(filter) === 'name' ? NAME_KEY : pathOf(field, filter);

/** The value of a label can contain commas, so the complete text matches as well as its parts. */
function labelFilter(key: string, value: string, isPrefix: boolean): Values {
  if (isPrefix) return { [LABEL_PAIRS]: prefix(`${key}=${value}`) };
  const accepted = new Set([...value.split(','), value]);
  return { [LABEL_PAIRS]: anyOf([...accepted].map(one => `${key}=${one}`)) };
}

function fieldFilter(field: string, filter: ListFilter, value: string, isPrefix: boolean): Values {
  const path = pathIn(field, filter);
  if (isPrefix) return { [path]: prefix(String(valueOf(filter, value))) };
  return { [path]: anyOf([...new Set(value.split(','))].map(text => valueOf(filter, text))) };
}

function filtersOf(query: Values, { filters }: ListFields): Values[] {
  return Object.entries(query).flatMap(([key, value]) => {
    const isPrefix = key.endsWith('~');
    const field = isPrefix ? key.slice(0, -1) : key;
    const filter = filters[field];
    if (field.startsWith(LABEL)) return [labelFilter(field.slice(LABEL.length), String(value), isPrefix)];
    if (!filter || (isReference(filter) && !isPrefix)) return [];
    return [fieldFilter(field, filter, String(value), isPrefix && hasPrefix(filter))];
  });
}

function referencesOf(query: Values, { filters }: ListFields): ListQuery['references'] {
  const found = Object.entries(filters).flatMap(([field, filter]) => {
    const value = query[field];
    if (!isReference(filter) || value === undefined) return [];
    return [[pathOf(field, filter), [...new Set(String(value).split(','))]] as const];
  });
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}

function sortOf(value: unknown, { filters }: ListFields): ListQuery['sort'] {
  if (typeof value !== 'string') return undefined;
  return value.split(',').map(key => {
    const field = key.replace(/^-/, '');
    const filter = filters[field];
    return [filter ? pathIn(field, filter) : field, key === field ? 1 : -1] as const;
  });
}

/** Converts the validated query of a list with these fields into the query that services take. */
export function listQueryOf(query: Values, fields: ListFields = { filters: {}, sorts: [] }): ListQuery {
  const { cursor, total, sort } = query;
  const parts = filtersOf(query, fields);
  return {
    limit: limitOf(query),
    filter: parts.length < 2 ? (parts[0] ?? {}) : { $and: parts },
    ...omitUndefined({
      references: referencesOf(query, fields),
      cursor: typeof cursor === 'string' ? cursor : undefined,
      sort: sortOf(sort, fields),
      total: total === true ? total : undefined,
    }),
  };
}
