import { readFile, writeFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import { publishedTypes } from './published-types.js';
import { schemaFile, schemaDocument, tableFile, withTable } from './schema-documents.js';

/** `npm run event-schemas`: makes the schemas of events and their table in docs/events.md from the types. */
async function main(): Promise<void> {
  const published = publishedTypes();
  await write(schemaFile, 'json', JSON.stringify(schemaDocument(published)));
  await write(tableFile, 'markdown', withTable(await readFile(tableFile, 'utf8'), published));
  console.log(`${published.types.length} types of events written`);
}

async function write(file: string, parser: string, text: string): Promise<void> {
  await writeFile(file, await format(text, { ...(await resolveConfig(file)), parser }));
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
