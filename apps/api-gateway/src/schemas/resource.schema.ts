import { closed, exact, listOf, primitives as p, type JsonSchema, type Properties } from '@stave/contracts/schemas';

const identity: Properties = {
  id: p.anyString,
  name: p.anyString,
  projectId: p.anyString,
  createdAt: p.dateTime,
  updatedAt: p.dateTime,
  revision: p.anyInteger,
};

const operationId: JsonSchema = {
  type: 'string',
  description: 'in the response to a command that started an operation',
};

/** A resource: its identity, members that it always has, and members that can be absent. */
export const resource = (members: Properties, optional: Properties = {}): JsonSchema =>
  exact({ ...identity, ...members }, { ...optional, operationId });

/** The members of a resource that has a life cycle. */
export const status = (schema: JsonSchema): readonly [members: Properties, optional: Properties] => [
  { status: schema },
  { statusReason: p.anyString },
];

export const page = (items: JsonSchema): JsonSchema =>
  exact({ items: listOf(items), nextCursor: { type: ['string', 'null'] } }, { total: p.anyInteger });

/** An object whose members are named by its user or by a driver. */
export const mapOf = (schema: JsonSchema): JsonSchema => ({ type: 'object', additionalProperties: schema });

/** A short reference to a resource. */
export const reference = (type: Properties = {}): JsonSchema =>
  closed({ ...type, id: p.anyString, name: p.anyString }, [...Object.keys(type), 'id', 'name']);
