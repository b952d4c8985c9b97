import { readFileSync } from 'node:fs';
import { eventVersions } from '@stave/domain';
import { cloudEventType } from '@stave/platform';
import type { PublishedType, PublishedTypes } from './published-types.js';
import type { JsonSchema } from './type-schema.js';

const DEFINITION = '#/definitions/';

/**
 * The published types with all their old versions beside them. Schemas of old versions are those of the file, never made anew: what was written
 * once is described for ever. A version that became old just now takes along the definitions that it refers to, as they were.
 * Throws when the file lacks an old version.
 */
export function withOldVersions(published: PublishedTypes, file: string): PublishedTypes {
  const { definitions: known }: { definitions: Record<string, JsonSchema> } = JSON.parse(readFileSync(file, 'utf8'));
  const old: [string, JsonSchema][] = [];
  const types = published.types.flatMap((today): readonly PublishedType[] => {
    const before = oldVersions(today);
    for (const { type } of before) {
      const schema = known[type];
      if (!schema) throw new Error(`${type} was written once: its schema must stay in ${file}`);
      const { description: _, ...bare } = schema;
      old.push([type, closed(bare, known, [])]);
    }
    return [...before, today];
  });
  const definitions = [...Object.entries(published.definitions), ...old].sort(([a], [b]) => (a < b ? -1 : 1));
  return { types, definitions: Object.fromEntries(definitions) };
}

function oldVersions(today: PublishedType): readonly PublishedType[] {
  const { category, event, fact } = today;
  const current = eventVersions.currentVersion(event);
  return Array.from({ length: current - 1 }, (_, i) => ({
    ...today,
    type: cloudEventType(category, event, i + 1),
    fact: `${fact} Not written any more: version ${current} is.`,
  }));
}

/** The schema with all that it refers to in it. */
function closed(
  schema: JsonSchema,
  known: Readonly<Record<string, JsonSchema>>,
  inside: readonly string[],
): JsonSchema {
  const entries = Object.entries(schema).flatMap(([keyword, value]): readonly (readonly [string, unknown])[] => {
    if (keyword !== '$ref' || typeof value !== 'string') return [[keyword, closedValue(value, known, inside)]];
    const name = value.slice(DEFINITION.length);
    const found = known[name];
    if (!found) throw new Error(`there is no ${name} that a schema could keep`);
    if (inside.includes(name)) return []; // it holds itself, as JSON values do: anything goes in there
    return Object.entries(closed(found, known, [...inside, name]));
  });
  return Object.fromEntries(entries);
}

function closedValue(value: unknown, known: Readonly<Record<string, JsonSchema>>, inside: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map(item => closedValue(item, known, inside));
  return isSchema(value) ? closed(value, known, inside) : value;
}

const isSchema = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null;
