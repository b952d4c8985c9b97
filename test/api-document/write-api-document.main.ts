import { readFile, writeFile } from 'node:fs/promises';
import { apiDocument } from '@stave/api-gateway';
import { clientTypesFile, clientTypesText, documentFile, documentText } from './api-files.js';
import { declaredFile, undeclaredChanges, type ComparedDocument } from './breaking-changes.js';
import { rolesFile, rolesText } from './roles-page.js';

/**
 * `npm run api-document` writes the OpenAPI document of the routes, the table of their roles, and the types of `@stave/client`, which are
 * generated from it. It refuses changes that break clients of the present document, unless breaking-changes.json declares them.
 */
async function main(): Promise<void> {
  const present: ComparedDocument = JSON.parse(await readFile(documentFile, 'utf8'));
  const breaking = undeclaredChanges(present, apiDocument() as unknown as ComparedDocument);
  if (breaking.length > 0)
    throw new Error(
      `nothing is written; these changes break clients and ${declaredFile} does not declare them:\n${breaking.join('\n')}`,
    );
  await writeFile(documentFile, documentText());
  await writeFile(clientTypesFile, await clientTypesText());
  await writeFile(rolesFile, rolesText());
  console.log(`${documentFile}, ${rolesFile} and ${clientTypesFile} written`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
