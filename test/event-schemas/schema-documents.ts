import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@stave/testing';
import type { PublishedType, PublishedTypes } from './published-types.js';
import type { JsonSchema } from './type-schema.js';

export const schemaFile = join(repositoryRoot(), 'libs/contracts/event-schemas.json');
export const tableFile = join(repositoryRoot(), 'docs/reference/events.md');
const BEGIN = '<!-- made by npm run event-schemas -->';
const END = '<!-- end -->';

/** Reads the definitions of the schema file. */
export const writtenDefinitions = (): Readonly<Record<string, JsonSchema>> =>
  JSON.parse(readFileSync(schemaFile, 'utf8')).definitions;

const text = { type: 'string' };

function envelope(types: readonly PublishedType[]): JsonSchema {
  return {
    type: 'object',
    required: ['specversion', 'id', 'type', 'source', 'subject', 'time', 'revision', 'position', 'correlationid'],
    properties: {
      specversion: { const: '1.0' },
      id: { type: 'string', description: 'The id of the event, the same in every delivery.' },
      type: { enum: types.map(({ type }) => type) },
      source: { type: 'string', pattern: '^/stave/' },
      subject: { type: 'string', description: '`<resource>/<id>`' },
      time: { type: 'string', format: 'date-time' },
      datacontenttype: { const: 'application/json' },
      project: text,
      cluster: text,
      revision: {
        type: 'integer',
        minimum: 0,
        description: 'The place of the event in the stream of its subject, from 0.',
      },
      position: {
        type: 'string',
        pattern: '^[0-9]+$',
        description: 'The place of the event in the complete log; positions ascend with gaps.',
      },
      actor: text,
      actorname: text,
      actormethod: text,
      actorissuer: text,
      correlationid: text,
      causationid: text,
      idempotencykey: text,
      operationid: text,
      traceparent: text,
      dataref: {
        type: 'string',
        description: 'The path of the event at the gateway, if its data do not fit into a message.',
      },
    },
    allOf: types.map(({ type }) => ({
      if: { properties: { type: { const: type } } },
      then: { properties: { data: { $ref: `#/definitions/${type}` } } },
    })),
  };
}

/** Returns the content of `event-schemas.json`. */
export function schemaDocument({ types, definitions }: PublishedTypes): JsonSchema {
  const facts = new Map(types.map(({ type, fact }) => [type, fact]));
  const described = Object.entries(definitions).map(([name, schema]): [string, JsonSchema] => {
    const fact = facts.get(name);
    return [name, fact === undefined ? schema : { description: fact, ...schema }];
  });
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Events of Stave',
    ...envelope(types),
    definitions: Object.fromEntries(described),
  };
}

/** Returns the expected rows of the table in docs/reference/events.md. */
export function tableRows({ types }: PublishedTypes): readonly (readonly string[])[] {
  return types.map(({ type, event, fact }) => [`\`${type}\``, `\`${event}\``, fact.replaceAll('|', '\\|')]);
}

/** Returns the rows of the table in a page, cells trimmed. */
export function rowsOf(page: string): readonly (readonly string[])[] {
  const [, table = ''] = page.slice(0, page.indexOf(END)).split(BEGIN);
  const lines = table.split('\n').filter(line => line.startsWith('| `'));
  return lines.map(line =>
    line
      .slice(1, line.lastIndexOf('|'))
      .split(/(?<!\\)\|/)
      .map(cell => cell.trim()),
  );
}

/** Returns the page with its table generated again, unformatted. */
export function withTable(page: string, published: PublishedTypes): string {
  const [before = '', rest = ''] = page.split(BEGIN);
  const after = rest.slice(rest.indexOf(END) + END.length);
  const rows = tableRows(published).map(cells => `| ${cells.join(' | ')} |`);
  const table = ['| type | in subject and log | fact |', '| --- | --- | --- |', ...rows].join('\n');
  return `${before}${BEGIN}\n\n${table}\n\n${END}${after}`;
}
