import { eventVersions } from '@stave/domain';
import { cloudEventType } from '@stave/platform';
import type { PublishedType, PublishedTypes } from './published-types.js';
import type { JsonSchema } from './type-schema.js';

const DEFINITION = '#/definitions/';

/**
 * Returns the published types with all their old versions. The schema of an old version is copied from `known`, the
 * definitions of the schema file, with the definitions that it refers to inlined. Throws when `known` lacks an old
 * version.
 */
export function withOldVersions(
  published: PublishedTypes,
  known: Readonly<Record<string, JsonSchema>>,
  versions: Pick<typeof eventVersions, 'currentVersion'> = eventVersions,
): PublishedTypes {
  const old: [string, JsonSchema][] = [];
  const types = published.types.flatMap((latest): readonly PublishedType[] => {
    const before = oldVersions(latest, versions.currentVersion(latest.event));
    for (const { type } of before) {
      const schema = known[type];
      if (!schema)
        throw new Error(`the schema of ${type} is missing; restore it, since events of this version were written`);
      const { description: _, ...bare } = schema;
      old.push([type, closed(bare, known, [])]);
    }
    return [...before, latest];
  });
  const definitions = [...Object.entries(published.definitions), ...old].sort(([a], [b]) => (a < b ? -1 : 1));
  return { types, definitions: Object.fromEntries(definitions) };
}

function oldVersions(latest: PublishedType, current: number): readonly PublishedType[] {
  const { category, event, fact } = latest;
  return Array.from({ length: current - 1 }, (_, i) => ({
    ...latest,
    type: cloudEventType(category, event, i + 1),
    fact: `${fact} No longer written: the current version is ${current}.`,
  }));
}

/** Returns the schema with every definition that it refers to inlined. */
function closed(
  schema: JsonSchema,
  known: Readonly<Record<string, JsonSchema>>,
  inside: readonly string[],
): JsonSchema {
  const entries = Object.entries(schema).flatMap(([keyword, value]): readonly (readonly [string, unknown])[] => {
    if (keyword !== '$ref' || typeof value !== 'string') return [[keyword, closedValue(value, known, inside)]];
    const name = value.slice(DEFINITION.length);
    const found = known[name];
    if (!found) throw new Error(`the definition ${name} is missing`);
    if (inside.includes(name)) return []; // a recursive definition, such as a JSON value: accepts anything
    return Object.entries(closed(found, known, [...inside, name]));
  });
  return Object.fromEntries(entries);
}

function closedValue(value: unknown, known: Readonly<Record<string, JsonSchema>>, inside: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map(item => closedValue(item, known, inside));
  return isSchema(value) ? closed(value, known, inside) : value;
}

const isSchema = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null;
