import { readFileSync } from 'node:fs';
import type { Page } from './api-pages.mts';
import { membersTable, plain, type Schema } from './schema-text.mts';

interface Document {
  readonly components: {
    readonly messages: Readonly<
      Record<string, { readonly title: string; readonly summary?: string; readonly tags: readonly { name: string }[] }>
    >;
    readonly schemas: Readonly<Record<string, Schema>>;
  };
}

const { components }: Document = JSON.parse(
  readFileSync(new URL('../reference/asyncapi.json', import.meta.url), 'utf8'),
);
const types = Object.keys(components.messages);
const linkOf = (name: string): string => `/reference/event-types/schemas.md#${name.toLowerCase()}`;

function typeOf(name: string): string {
  const { title, summary } = components.messages[name] ?? { title: name };
  const schema = components.schemas[name] ?? {};
  return `## ${plain(title)}\n\n\`${name}\`\n\n${plain(summary ?? '')}\n\n${membersTable(schema, linkOf)}`;
}

/** Returns the types of resources that have events. */
export const eventResources = (): readonly string[] => [
  ...new Set(types.map(name => components.messages[name]?.tags[0]?.name ?? 'other')),
];

/** Returns a page for the event types of each type of resource, and one with the schemas that they share. */
export function eventPages(): Page[] {
  const pages = eventResources().map(resource => ({
    params: { name: resource },
    content: `# Events: ${resource}\n\n${types
      .filter(name => components.messages[name]?.tags[0]?.name === resource)
      .map(typeOf)
      .join('\n\n')}\n`,
  }));
  const shared = Object.entries(components.schemas)
    .filter(([name]) => !name.includes('.'))
    .map(([name, schema]) => `## ${name}\n\n${plain(schema.description ?? '')}\n\n${membersTable(schema, linkOf)}`);
  return [...pages, { params: { name: 'schemas' }, content: `# Events: shared schemas\n\n${shared.join('\n\n')}\n` }];
}
