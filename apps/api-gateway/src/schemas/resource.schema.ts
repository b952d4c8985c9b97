import { listOf, nullable, open, type JsonSchema, type Properties } from './json-schema.js';
import { anyInteger, anyString, dateTime } from './primitive.schemas.js';

const common: Properties = {
  id: anyString,
  name: anyString,
  projectId: anyString,
  createdAt: dateTime,
  updatedAt: dateTime,
  revision: anyInteger,
  status: anyString,
  statusReason: nullable(anyString),
  operationId: { type: 'string', description: 'in the answer to a command that started work' },
};

/** What every resource shows, and what this one shows beside it. */
export function resource(properties: Properties): JsonSchema {
  return open({ ...common, ...properties }, ['id', 'name', 'projectId', 'createdAt', 'updatedAt', 'revision']);
}

export function page(items: JsonSchema): JsonSchema {
  return open({ items: listOf(items), nextCursor: { type: ['string', 'null'] }, total: anyInteger }, [
    'items',
    'nextCursor',
  ]);
}
