import { writeFile } from 'node:fs/promises';
import { clientTypesFile, clientTypesText, documentFile, documentText } from './api-files.js';

/** `npm run api-document` writes the OpenAPI document of the routes, and the types of `@stave/client`, which are generated from it. */
async function main(): Promise<void> {
  await writeFile(documentFile, documentText());
  await writeFile(clientTypesFile, await clientTypesText());
  console.log(`${documentFile} and ${clientTypesFile} written`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
