import { readFileSync } from 'node:fs';
import { code, factsText, membersTable, plain, typeText, type Schema } from './schema-text.mts';

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema; readonly example?: unknown }>>;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema: Schema;
  }[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content & { readonly description?: string }>>;
  readonly 'x-stave-role'?: string;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface Page {
  readonly params: { readonly name: string };
  readonly content: string;
}

const document: Document = JSON.parse(readFileSync(new URL('../reference/openapi.json', import.meta.url), 'utf8'));
const linkOf = (name: string): string => `/reference/api/schemas.md#${name.toLowerCase()}`;

interface Described {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

function operations(): readonly Described[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
}

function parametersText({ parameters = [] }: Operation): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map(
    ({ name, in: place, required, description, schema }) =>
      `| ${code(name)} | ${place} | ${typeText(schema, linkOf)} | ${required ? 'required' : ''} | ${[
        plain(description ?? ''),
        factsText(schema),
      ]
        .filter(text => text !== '')
        .join('; ')} |`,
  );
  return ['| parameter | in | type | | meaning |', '| --- | --- | --- | --- | --- |', ...rows, ''].join('\n');
}

function bodyText({ requestBody }: Operation): string {
  const [described] = Object.values(requestBody?.content ?? {});
  if (!described?.schema) return '';
  const name = described.schema.$ref?.split('/').at(-1);
  const schema = name === undefined ? described.schema : (document.components.schemas[name] ?? {});
  const example =
    described.example === undefined ? '' : `\n\`\`\`json\n${JSON.stringify(described.example, null, 2)}\n\`\`\`\n`;
  return `**Body**${name === undefined ? '' : `: [${name}](${linkOf(name)})`}\n\n${membersTable(schema, linkOf)}${example}`;
}

function answersText({ responses }: Operation): string {
  const rows = Object.entries(responses).map(([status, { description, content }]) => {
    const [schema] = Object.values(content ?? {}).map(({ schema: shown }) => shown);
    return `| ${status} | ${schema ? typeText(schema, linkOf) : ''} | ${plain(description ?? '')} |`;
  });
  return ['| answer | body | |', '| --- | --- | --- |', ...rows, ''].join('\n');
}

function operationText({ path, method, operation }: Described): string {
  return [
    `## ${plain(operation.summary)}`,
    `${code(`${method} ${path}`)} – role: ${operation['x-stave-role'] ?? 'public'}, \`${operation.operationId}\``,
    operation.description === undefined ? '' : plain(operation.description),
    parametersText(operation),
    bodyText(operation),
    answersText(operation),
  ]
    .filter(text => text !== '')
    .join('\n\n');
}

/** Returns a page for the operations of each tag of the OpenAPI document, and one with all its schemas. */
export function apiPages(): Page[] {
  const pages = [...grouped(operations())].map(([tag, described]) => ({
    params: { name: tag },
    content: `# REST API: ${tag}\n\n${described.map(operationText).join('\n\n')}\n`,
  }));
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) => `## ${name}\n\n${plain(schema.description ?? '')}\n\n${membersTable(schema, linkOf)}`,
  );
  return [...pages, { params: { name: 'schemas' }, content: `# REST API: schemas\n\n${schemas.join('\n\n')}\n` }];
}

function grouped(described: readonly Described[]): ReadonlyMap<string, readonly Described[]> {
  const groups = new Map<string, Described[]>();
  for (const one of described) {
    const tag = one.operation.tags?.[0] ?? 'other';
    groups.set(tag, [...(groups.get(tag) ?? []), one]);
  }
  return groups;
}

/** Returns the tags of the OpenAPI document in its order. */
export const apiTags = (): readonly string[] => [...grouped(operations()).keys()];
