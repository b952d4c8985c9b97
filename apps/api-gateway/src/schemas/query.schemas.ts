import { closed, type JsonSchema, type Properties } from './json-schema.js';
import * as p from './primitive.schemas.js';

const minPosition: JsonSchema = p.whole(0, Number.MAX_SAFE_INTEGER);
const cursor = p.text(4096, 1);
const limit = p.whole(1, 500);
const fieldList: JsonSchema = { type: 'string', pattern: '^[A-Za-z]+(?:,[A-Za-z]+)*$', maxLength: 512 };
const commaList: JsonSchema = p.text(1024, 1);

/** What can be asked of the lists of one type. */
export interface ListFields {
  /** Fields that take `field=A,B`. */
  readonly filters: readonly string[];
  readonly sorts: readonly string[];
  /** Whether `labels.key=value` is taken. */
  readonly labels?: boolean;
}

export const readQuery = closed({ fields: fieldList, minPosition });
export const noQuery = closed({});

export function listQuery({ filters, sorts, labels }: ListFields): JsonSchema {
  const one = `-?(?:${sorts.join('|')})`;
  const properties: Properties = {
    limit,
    cursor,
    minPosition,
    fields: fieldList,
    total: p.anyBoolean,
    sort: { type: 'string', pattern: `^${one}(?:,${one}){0,3}$` },
    'name~': p.text(63, 1),
    ...Object.fromEntries(filters.map(field => [field, commaList])),
  };
  const byLabel = { patternProperties: { '^labels\\.[A-Za-z0-9][A-Za-z0-9_/-]{0,126}$': p.text(255) } };
  return { ...closed(properties), ...(labels ? byLabel : {}) };
}

export const historyQuery = closed({ limit, cursor, minPosition });
export const waitQuery = closed({
  wait: { type: 'string', pattern: '^[0-9]{1,6}(?:ms|s|m)?$', description: 'at most 60s' },
  minPosition,
  fields: fieldList,
});
export const logsQuery = closed({ tail: p.whole(1, 10_000), follow: p.anyBoolean });
export const nodeDeleteQuery = closed({ lowerMin: p.anyBoolean });
export const ringLookupQuery = closed({ resource: p.text(255, 1) }, ['resource']);
export const eventsQuery = closed({
  from: p.text(64, 1),
  since: p.text(64, 1),
  cursor,
  limit,
  cluster: p.reference,
  project: p.reference,
  type: commaList,
  resource: p.text(128, 1),
});
