/** A JSON Schema (2020-12, the dialect of OpenAPI 3.1) as plain data. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

export type Properties = Readonly<Record<string, JsonSchema>>;

const names = new Map<JsonSchema, string>();

/** Names a schema. The OpenAPI document makes it a component and refers to it wherever this object is used. Throws RangeError for a second name. */
export function named(name: string, schema: JsonSchema): JsonSchema {
  if (names.has(schema)) throw new RangeError(`a schema has the names ${names.get(schema)} and ${name}`);
  names.set(schema, name);
  return schema;
}

export const schemaName = (schema: JsonSchema): string | undefined => names.get(schema);

/** An object without any other members. */
export function closed(properties: Properties, required: readonly string[] = []): JsonSchema {
  return { type: 'object', properties, additionalProperties: false, ...(required.length ? { required } : {}) };
}

/** A closed object that has all of its members; those named in `optional` can be absent. */
export const exact = (properties: Properties, optional: Properties = {}): JsonSchema =>
  closed({ ...properties, ...optional }, Object.keys(properties));

/** Accepts null as well. */
export function nullable(schema: JsonSchema): JsonSchema {
  const { type, enum: values } = schema;
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  if (types.includes('null')) return schema;
  return { ...schema, type: [...types, 'null'], ...(Array.isArray(values) ? { enum: [...values, null] } : {}) };
}

/** The members of a merge patch, in which null removes a member or restores its default; `more` is added to each schema. */
export const removable = (properties: Properties, more: JsonSchema = {}): Properties =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, { ...nullable(schema), ...more }]));

export const listOf = (items: JsonSchema, more: JsonSchema = {}): JsonSchema => ({ type: 'array', items, ...more });

/** Any member of a closed set of texts. */
export const oneOf = (...values: readonly string[]): JsonSchema => ({ type: 'string', enum: values });

/** The body of an action without parameters, and the query of a deletion without options. */
export const noBody = closed({});

/** Gives several members the same value. */
export const alike = <const V, const K extends string>(value: V, ...members: readonly K[]): Readonly<Record<K, V>> =>
  Object.fromEntries(members.map(member => [member, value])) as Readonly<Record<K, V>>;

/** A member that exists on the resource and cannot be changed; requests that have it are refused by name. */
export const immutable: JsonSchema = { immutable: true, description: 'cannot be changed' };

export const immutables = (...members: readonly string[]): Properties => alike(immutable, ...members);
