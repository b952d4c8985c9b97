import { alike, closed, primitives as p, type JsonSchema, type Properties } from '@stave/contracts/schemas';
import {
  hasPrefix,
  isOneOf,
  kindOf,
  type FilterKind,
  type ListFields,
  type ListFilter,
  type OneOf,
} from './list-fields.js';

const minPosition = p.whole(0, Number.MAX_SAFE_INTEGER);
const cursor = p.text(4096, 1);
const limit = p.whole(1, 500);
const pageMembers = { limit, cursor, minPosition };
const fieldPath = '[A-Za-z]+(?:\\.[A-Za-z0-9][A-Za-z0-9._/-]*)?';
const fieldList: JsonSchema = {
  type: 'string',
  pattern: `^${fieldPath}(?:,${fieldPath})*$`,
  maxLength: 1024,
  description: 'names of fields with commas between them, such as `name,labels.env`',
};
const commaList: JsonSchema = {
  type: 'string',
  pattern: '^[^,]+(?:,[^,]+)*$',
  maxLength: 4096,
  description: 'one value, or several with commas between them; none of them is empty',
};

const time =
  '[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\\.[0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:[0-9]{2}))?';
const moment = (description: string): JsonSchema => ({
  type: 'string',
  pattern: `^(?:[0-9]{1,9}|${time})$`,
  description,
});

const number = '-?[0-9]{1,15}(?:\\.[0-9]{1,6})?';
const filterSchemas: Readonly<Record<FilterKind, JsonSchema>> = {
  name: commaList,
  text: p.text(4096),
  exact: commaList,
  reference: commaList,
  optionalReference: {
    ...p.text(4096),
    description: 'ids or names with commas between them; empty: resources without the reference',
  },
  number: { type: 'string', pattern: `^${number}(?:,${number})*$`, maxLength: 1024 },
  boolean: { type: 'string', enum: ['true', 'false'] },
};

const readMembers = { fields: fieldList, minPosition };
export const readQuery = closed(readMembers);
export const pastReadQuery = closed({
  ...readMembers,
  at: moment(
    'a revision (its last state), or an ISO 8601 time with its zone, or a date: returns the state at that moment',
  ),
});
const until =
  'a revision, or an ISO 8601 time with its zone, or a date; default: now, or the last state of a deleted resource';
const since = moment('a revision, or an ISO 8601 time with its zone, or a date');
export const diffQuery = closed({ minPosition, from: since, to: moment(until) }, ['from']);

function filterSchema(filter: ListFilter): JsonSchema {
  if (!isOneOf(filter)) return filterSchemas[kindOf(filter)];
  const value = `(?:${filter.enum.join('|')})`;
  const description = `any of ${filter.enum.join(', ')}`;
  return { type: 'string', pattern: `^${value}(?:,${value})*$`, maxLength: 1024, description };
}

const at = {
  type: 'string',
  pattern: `^${time}$`,
  description: 'an ISO 8601 time with its zone, or a date: returns the resources of that moment',
};
const byLabel = { patternProperties: { '^labels\\.[A-Za-z0-9][A-Za-z0-9._/-]{0,126}~?$': p.text(4096) } };

/** `past`: whether the list takes `at`. */
export function listQuery({ filters, sorts, labels }: ListFields, past = false): JsonSchema {
  const withPrefix = Object.keys(filters).filter(field => hasPrefix(filters[field] ?? 'exact'));
  const one = `-?(?:${sorts.map(key => key.replaceAll('.', '\\.')).join('|')})`;
  const properties: Properties = {
    ...pageMembers,
    fields: fieldList,
    total: p.anyBoolean,
    ...(past ? { at } : {}),
    sort: {
      type: 'string',
      pattern: `^${one}(?:,${one}){0,3}$`,
      description: `at most 4 of ${sorts.join(', ')}, with commas between them; \`-\` before one for descending`,
    },
    ...Object.fromEntries(Object.entries(filters).map(([field, filter]) => [field, filterSchema(filter)])),
    ...Object.fromEntries(withPrefix.map(field => [`${field}~`, p.text(512, 1)])),
  };
  return { ...closed(properties), ...(labels ? byLabel : {}) };
}

/** The values of `status` in any case. */
export const stepsQuery = (status: OneOf): JsonSchema => {
  const values = status.enum.flatMap(value => [value, value.toLowerCase()]);
  const one = `(?:${values.join('|')})`;
  const description = `any of ${status.enum.join(', ')}, with commas between them, also in small letters`;
  return closed({
    ...pageMembers,
    status: { type: 'string', pattern: `^${one}(?:,${one}){0,7}$`, description },
  });
};
/** A read without a choice of fields. */
export const positionQuery = closed({ minPosition });
export const historyQuery = closed(pageMembers);
export const waitQuery = closed({
  wait: {
    type: 'string',
    pattern: '^[0-9]{1,6}(?:ms|s|m)?$',
    description: 'a duration such as 500ms, 10s or 1m, at most 60s',
  },
  ...readMembers,
});
export const eventsQuery = closed({
  ...alike(
    {
      ...p.text(64, 1),
      description:
        '`start`, `now` (the default), a position (after it), or an ISO 8601 time; `from` and `since` are the same',
    },
    'from',
    'since',
  ),
  cursor,
  limit,
  order: {
    type: 'string',
    enum: ['oldest', 'newest'],
    description:
      'of pages: which event is the first; with `newest` the pages go back to `since`, by default to the first event',
  },
  until: {
    ...p.text(64, 1),
    description: 'of pages: the last position, or an ISO 8601 time before which the last event was',
  },
  ...alike(p.reference, 'cluster', 'project'),
  type: commaList,
  resource: p.text(128, 1),
});
