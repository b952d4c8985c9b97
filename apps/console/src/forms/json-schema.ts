/** The keywords that forms follow. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly description?: string;
}

export type Components = Readonly<Record<string, Schema>>;

/** The schema with all that it refers to in its place. */
export function resolved(schema: Schema, components: Components): Schema {
  const { $ref, properties, items, ...rest } = schema;
  if ($ref !== undefined) return resolved(components[$ref.split('/').at(-1) ?? ''] ?? {}, components);
  return {
    ...rest,
    ...(items ? { items: resolved(items, components) } : {}),
    ...(properties
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, one]) => [name, resolved(one, components)]),
          ),
        }
      : {}),
  };
}

/** The least that a new value can be: its required members, each with the first of its choices. */
export function initialOf(schema: Schema): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.type === 'array') return schema.items && (schema.minItems ?? 0) > 0 ? [initialOf(schema.items)] : [];
  if (schema.type === 'boolean') return false;
  if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? 0;
  if (schema.type !== 'object') return '';
  const required = schema.required ?? [];
  return Object.fromEntries(required.map(name => [name, initialOf(schema.properties?.[name] ?? {})]));
}

/** What a number may be, in words. */
export function boundsOf({ minimum, maximum }: Schema): string | undefined {
  if (minimum === undefined && maximum === undefined) return undefined;
  if (maximum === undefined) return `${minimum} or more`;
  return `${minimum ?? 'up'} to ${maximum.toLocaleString('en')}`;
}
