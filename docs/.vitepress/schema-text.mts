/** The parts of a JSON Schema that pages show. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

/** Where a named schema is described. */
export type LinkOf = (name: string) => string;

const MAX_VALUES = 12;
/** Longer patterns list every name that is allowed; the description says the same for people. */
const MAX_PATTERN = 60;

/** Returns text that neither Markdown tables nor Vue's templates read as anything else. */
export const plain = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('{{', '&#123;&#123;')
    .replaceAll('|', '\\|')
    .replaceAll(/\s+/g, ' ');

/** Returns code that may contain anything. */
export const code = (text: string): string =>
  `<code v-pre>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('|', '&#124;').replaceAll('`', '&#96;').replaceAll('*', '&#42;').replaceAll('_', '&#95;')}</code>`;

const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);

/** Returns the type of a value in words, with links to the schemas that have a name. */
export function typeText(schema: Schema, linkOf: LinkOf): string {
  if (schema.$ref !== undefined) return `[${nameOf(schema.$ref)}](${linkOf(nameOf(schema.$ref))})`;
  const parts = schema.oneOf ?? schema.anyOf ?? schema.allOf;
  if (parts) return parts.map(part => typeText(part, linkOf)).join(schema.allOf ? ' and ' : ' or ');
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (schema.enum) return valuesText(schema.enum);
  if (schema.items) return `list of ${typeText(schema.items, linkOf)}`;
  if (typeof schema.additionalProperties === 'object') return `map of ${typeText(schema.additionalProperties, linkOf)}`;
  if (schema.properties) return `object {${Object.keys(schema.properties).map(plain).join(', ')}}`;
  return [schema.type ?? 'any'].flat().join(' or ');
}

function valuesText(values: readonly unknown[]): string {
  const shown = values.slice(0, MAX_VALUES).map(value => code(JSON.stringify(value)));
  return shown.join(' ') + (values.length > MAX_VALUES ? ` and ${values.length - MAX_VALUES} more` : '');
}

/** Returns what limits a value, and its description. */
export function factsText(schema: Schema): string {
  const facts = [
    schema.description === undefined ? '' : plain(schema.description),
    schema.default === undefined ? '' : `default ${code(JSON.stringify(schema.default))}`,
    schema.minimum === undefined ? '' : `at least ${schema.minimum}`,
    schema.maximum === undefined ? '' : `at most ${schema.maximum}`,
    schema.maxLength === undefined ? '' : `at most ${schema.maxLength} characters`,
    schema.maxItems === undefined ? '' : `at most ${schema.maxItems} elements`,
    schema.pattern === undefined || schema.pattern.length > MAX_PATTERN ? '' : `pattern ${code(schema.pattern)}`,
  ];
  return facts.filter(fact => fact !== '').join('; ');
}

/** Returns a table of the members of an object, or a line with the type of any other value. */
export function membersTable(schema: Schema, linkOf: LinkOf): string {
  const members = Object.entries(schema.properties ?? {});
  if (members.length === 0) return `${typeText(schema, linkOf)} ${factsText(schema)}\n`;
  const rows = members.map(([name, member]) => {
    const required = schema.required?.includes(name) ? 'required' : '';
    return `| ${code(name)} | ${typeText(member, linkOf)} | ${required} | ${factsText(member)} |`;
  });
  return ['| member | type | | meaning |', '| --- | --- | --- | --- |', ...rows, ''].join('\n');
}
