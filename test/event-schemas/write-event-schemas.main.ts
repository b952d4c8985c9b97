import { readFile, writeFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import { asyncApiFile, asyncApiText } from '../documents/async-api-file.js';
import { withOldVersions } from './kept-schemas.js';
import { publishedTypes } from './published-types.js';
import { writeMissingFixtures } from './write-fixtures.js';
import { schemaFile, schemaDocument, tableFile, withTable, writtenDefinitions } from './schema-documents.js';

/**
 * `npm run event-schemas [directory…]` generates the schemas of events and their table in docs/reference/events.md from
 * the types, and the AsyncAPI document, which consists of them. It adds missing fixtures from the logs in the given directories, or else from the schemas.
 */
async function main(): Promise<void> {
  const published = withOldVersions(publishedTypes(), writtenDefinitions());
  await write(schemaFile, 'json', JSON.stringify(schemaDocument(published)));
  await write(tableFile, 'markdown', withTable(await readFile(tableFile, 'utf8'), published));
  await writeFile(asyncApiFile, asyncApiText());
  const made = await writeMissingFixtures(published, process.argv.slice(2));
  console.log(`${published.types.length} types of events written, ${made.length} fixtures added: ${made.join(' ')}`);
}

async function write(file: string, parser: string, text: string): Promise<void> {
  await writeFile(file, await format(text, { ...(await resolveConfig(file)), parser }));
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
