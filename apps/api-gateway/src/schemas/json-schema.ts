/** A JSON Schema (2020-12 as OpenAPI 3.1 uses it), kept as plain data. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

export type Properties = Readonly<Record<string, JsonSchema>>;

const names = new Map<JsonSchema, string>();

/** Gives a schema a name; wherever this very object stands in a route, the OpenAPI document refers to it. */
export function named(name: string, schema: JsonSchema): JsonSchema {
  names.set(schema, name);
  return schema;
}

export const schemaName = (schema: JsonSchema): string | undefined => names.get(schema);

/** An object that takes no other members. */
export function closed(properties: Properties, required: readonly string[] = []): JsonSchema {
  return { type: 'object', properties, additionalProperties: false, ...(required.length ? { required } : {}) };
}

/** An object of an answer: more members may come with later versions. */
export function open(properties: Properties, required: readonly string[] = []): JsonSchema {
  return { type: 'object', properties, ...(required.length ? { required } : {}) };
}

/** The same, or null. */
export function nullable(schema: JsonSchema): JsonSchema {
  const type = schema['type'];
  const types = Array.isArray(type) ? type : [type];
  const values = schema['enum'];
  return { ...schema, type: [...types, 'null'], ...(Array.isArray(values) ? { enum: [...values, null] } : {}) };
}

export const listOf = (items: JsonSchema, more: JsonSchema = {}): JsonSchema => ({ type: 'array', items, ...more });

/** Refused by name: the member exists on the resource and cannot be changed. */
export const immutable: JsonSchema = { immutable: true, description: 'cannot be changed' };
