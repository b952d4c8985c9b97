import { exact, listOf, nullable, primitives as p, type JsonSchema, type Properties } from '@stave/contracts/schemas';

const identity = { ...p.texts('id', 'name', 'projectId'), createdAt: p.dateTime, updatedAt: p.dateTime };
const operationId = { ...p.anyString, description: 'in the response to a command that started an operation' };

/** A resource: its identity, members that it always has, and members that can be absent. */
export const resource = (members: Properties, optional: Properties = {}): JsonSchema =>
  exact({ ...identity, revision: p.anyInteger, ...members }, { ...optional, operationId });

export const page = (items: JsonSchema, optional: Properties = { total: p.anyInteger }): JsonSchema =>
  exact({ items: listOf(items), nextCursor: nullable(p.anyString) }, optional);

/** An object whose members are named by its user or by a driver. */
export const mapOf = (schema: JsonSchema): JsonSchema => ({ type: 'object', additionalProperties: schema });
