import type { JsonSchema } from './type-schema.js';

const DEFINITION = '#/definitions/';
const TIME = '2026-01-01T00:00:00.000Z';

/** Returns a valid value of a schema with all members, also optional ones. The result is deterministic. */
export function sampleOf(
  schema: JsonSchema,
  definitions: Readonly<Record<string, JsonSchema>>,
  name = 'text',
  inside: readonly string[] = [],
): unknown {
  const { $ref, anyOf, type } = schema;
  if (typeof $ref === 'string') {
    const definition = $ref.slice(DEFINITION.length);
    if (inside.includes(definition)) return null; // JSON within JSON
    return sampleOf(definitions[definition] ?? {}, definitions, name, [...inside, definition]);
  }
  if ('const' in schema) return schema['const'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  if (Array.isArray(anyOf)) return sampleOf(anyOf[0], definitions, name, inside);
  if (type === 'array') return isSchema(schema['items']) ? [sampleOf(schema['items'], definitions, name, inside)] : [];
  if (type === 'object') return objectOf(schema, definitions, inside);
  if (type === 'number' || type === 'integer') return 1;
  if (type === 'boolean') return true;
  if (type === 'null') return null;
  return /(At|[dD]eadline|notBefore|since)$/.test(name) ? TIME : name;
}

function objectOf(
  { properties, additionalProperties }: JsonSchema,
  definitions: Readonly<Record<string, JsonSchema>>,
  inside: readonly string[],
): Readonly<Record<string, unknown>> {
  const members = isSchema(properties) ? Object.entries(properties) : [];
  const others = isSchema(additionalProperties) ? ([['key', additionalProperties]] as const) : [];
  const made = [...members, ...others].map(([name, value]): readonly [string, unknown] => [
    name,
    isSchema(value) ? sampleOf(value, definitions, name, inside) : null,
  ]);
  return Object.fromEntries(made);
}

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
