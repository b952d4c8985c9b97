import { writeFile } from 'node:fs/promises';
import { clientTypesFile, clientTypesText, documentFile, documentText } from './api-files.js';
import { rolesFile, rolesText } from './roles-page.js';

/** `npm run api-document` writes the OpenAPI document of the routes, the table of their roles, and the types of `@stave/client`, which are generated from it. */
async function main(): Promise<void> {
  await writeFile(documentFile, documentText());
  await writeFile(clientTypesFile, await clientTypesText());
  await writeFile(rolesFile, rolesText());
  console.log(`${documentFile}, ${rolesFile} and ${clientTypesFile} written`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
