import type { ListQuery } from '@stave/contracts';

const DEFAULT_LIMIT = 50;
const control = new Set(['limit', 'cursor', 'sort', 'fields', 'total', 'minPosition', 'name~']);

const anyOf = (value: string): unknown => {
  const values = value.split(',');
  return values.length === 1 ? value : { $in: values };
};

const prefix = (value: string): unknown => ({ $regex: `^${value.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')}` });

function filterOf(query: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const parts: Record<string, unknown>[] = [];
  for (const [key, value] of Object.entries(query)) {
    if (control.has(key)) continue;
    parts.push({ [key]: key.startsWith('labels.') ? String(value) : anyOf(String(value)) });
  }
  if (typeof query['name~'] === 'string') parts.push({ name: prefix(query['name~']) });
  const keys = parts.flatMap(part => Object.keys(part));
  return new Set(keys).size === keys.length ? Object.assign({}, ...parts) : { $and: parts };
}

function sortOf(value: unknown): ListQuery['sort'] {
  if (typeof value !== 'string') return undefined;
  return value
    .split(',')
    .map(field => (field.startsWith('-') ? ([field.slice(1), -1] as const) : ([field, 1] as const)));
}

/** The services' form of a validated list request. */
export function listQueryOf(query: Readonly<Record<string, unknown>>): ListQuery {
  const sort = sortOf(query['sort']);
  const cursor = query['cursor'];
  return {
    limit: typeof query['limit'] === 'number' ? query['limit'] : DEFAULT_LIMIT,
    filter: filterOf(query),
    ...(typeof cursor === 'string' ? { cursor } : {}),
    ...(sort ? { sort } : {}),
    ...(query['total'] === true ? { total: true } : {}),
  };
}
