/** The parts of a JSON Schema that the comparison reads. Patterns are left out: no comparison can decide which of two is wider. */
export interface ComparedSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: ComparedSchema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, ComparedSchema>>;
  readonly additionalProperties?: boolean | ComparedSchema;
  readonly anyOf?: readonly ComparedSchema[];
  readonly oneOf?: readonly ComparedSchema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** A request is what clients send, an answer what they read. */
export type Direction = 'request' | 'answer';
export type Schemas = Readonly<Record<string, ComparedSchema>>;

const lower = ['minimum', 'minLength', 'minItems'] as const;
const upper = ['maximum', 'maxLength', 'maxItems'] as const;

const resolved = (schema: ComparedSchema, schemas: Schemas): ComparedSchema =>
  schema.$ref === undefined ? schema : resolved(schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, schemas);

const typesOf = ({ type }: ComparedSchema): readonly string[] => [type ?? []].flat();
const valuesOf = ({ enum: values, const: only }: ComparedSchema): readonly unknown[] | undefined =>
  values ?? (only === undefined ? undefined : [only]);
const missing = (from: readonly unknown[], to: readonly unknown[]): readonly unknown[] =>
  from.filter(value => !to.includes(value));

/**
 * Compares two versions of a schema. Breaking for who sends: a member that is gone or newly required, fewer types, values or room.
 * Breaking for who reads: a member that is gone or no longer always there, and another type. New values of an answer are not: clients
 * must take statuses and codes that they do not know.
 */
export class SchemaChanges {
  private readonly seen = new Set<string>();

  constructor(
    private readonly direction: Direction,
    private readonly before: Schemas,
    private readonly after: Schemas,
  ) {}

  /** Returns a sentence for each breaking change at or below `path`. */
  between(old: ComparedSchema, next: ComparedSchema, path = ''): readonly string[] {
    if (old.$ref !== undefined && next.$ref !== undefined) {
      const pair = `${old.$ref} ${next.$ref}`;
      if (this.seen.has(pair)) return [];
      this.seen.add(pair);
    }
    const [from, to] = [resolved(old, this.before), resolved(next, this.after)];
    return [
      ...this.types(from, to, path),
      ...this.values(from, to, path),
      ...this.bounds(from, to, path),
      ...this.members(from, to, path),
      ...(from.items && to.items ? this.between(from.items, to.items, `${path}/-`) : []),
      ...this.alternatives(from, to, path),
    ];
  }

  private types(from: ComparedSchema, to: ComparedSchema, path: string): readonly string[] {
    const [before, after] = [typesOf(from), typesOf(to)];
    if (before.length === 0 || after.length === 0) return [];
    const widens = (type: unknown, all: readonly string[]): boolean => type === 'integer' && all.includes('number');
    const [narrower, wider] = this.direction === 'request' ? [before, after] : [after, before];
    const lost = narrower.filter(type => !wider.includes(type) && !widens(type, wider));
    return lost.length === 0 ? [] : [`${path || '/'} is ${after.join(' or ')} instead of ${before.join(' or ')}`];
  }

  private values(from: ComparedSchema, to: ComparedSchema, path: string): readonly string[] {
    const [before, after] = [valuesOf(from), valuesOf(to)];
    if (this.direction === 'answer' || after === undefined) return [];
    if (before === undefined) return [`${path || '/'} takes certain values only`];
    return missing(before, after).map(value => `${path || '/'} no longer takes ${JSON.stringify(value)}`);
  }

  private bounds(from: ComparedSchema, to: ComparedSchema, path: string): readonly string[] {
    if (this.direction === 'answer') return [];
    const raised = lower.filter(name => to[name] !== undefined && to[name] > (from[name] ?? -Infinity));
    const lowered = upper.filter(name => to[name] !== undefined && to[name] < (from[name] ?? Infinity));
    return [...raised, ...lowered].map(name => `${path || '/'} has the ${name} ${to[name]}`);
  }

  private members(from: ComparedSchema, to: ComparedSchema, path: string): readonly string[] {
    const [before, after] = [from.properties ?? {}, to.properties ?? {}];
    if (to.properties === undefined) return [];
    const [wasRequired, isRequired] = [from.required ?? [], to.required ?? []];
    const gone = Object.keys(before).filter(name => after[name] === undefined);
    const required =
      this.direction === 'request'
        ? isRequired.filter(name => !wasRequired.includes(name)).map(name => `${path}/${name} is required`)
        : wasRequired
            .filter(name => after[name] !== undefined && !isRequired.includes(name))
            .map(name => `${path}/${name} is not always there`);
    const kept = Object.entries(before).flatMap(([name, schema]) =>
      after[name] === undefined ? [] : this.between(schema, after[name], `${path}/${name}`),
    );
    return [...gone.map(name => `${path}/${name} is gone`), ...required, ...kept];
  }

  /** Alternatives are compared in their order: who adds one adds it at the end. */
  private alternatives(from: ComparedSchema, to: ComparedSchema, path: string): readonly string[] {
    const [before, after] = [from.anyOf ?? from.oneOf, to.anyOf ?? to.oneOf];
    if (!before || !after) return [];
    const isFewer = this.direction === 'request' && after.length < before.length;
    const changes = before.flatMap((schema, index) => {
      const next = after[index];
      return next === undefined ? [] : this.between(schema, next, path);
    });
    return [...(isFewer ? [`${path || '/'} has fewer alternatives`] : []), ...changes];
  }
}
