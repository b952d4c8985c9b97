import { readFile } from 'node:fs/promises';
import { clientTypesFile, clientTypesText, documentFile, documentText } from './api-files.js';
import { rolesFile, rolesIn, rolesText } from './roles-page.js';
import { reducedDocument } from './client-types.js';

jest.setTimeout(120_000);

/** Compares texts without printing a megabyte when they differ. */
function firstDifference(actual: string, expected: string): string | undefined {
  const lines = actual.split('\n');
  const differing = expected.split('\n').findIndex((line, index) => line !== lines[index]);
  if (differing < 0) return actual === expected ? undefined : 'the file has more lines';
  return `line ${differing + 1}: ${lines[differing]} instead of ${expected.split('\n')[differing]}`;
}

describe('the files that are generated from the routes of the REST API', () => {
  it('docs/reference/openapi.json matches the routes (`npm run api-document` updates it)', async () => {
    expect(firstDifference(await readFile(documentFile, 'utf8'), documentText())).toBeUndefined();
  });

  it('docs/reference/roles.md matches the routes (`npm run api-document` updates it)', async () => {
    const page = await readFile(rolesFile, 'utf8');
    expect(firstDifference(page, rolesText())).toBeUndefined();
    expect(rolesIn(page).get('updateProjectQuotas')).toBe('operator');
  });

  it('the types of @stave/client match the routes (`npm run api-document` updates them)', async () => {
    expect(firstDifference(await readFile(clientTypesFile, 'utf8'), await clientTypesText())).toBeUndefined();
  });

  it('the types of @stave/client contain a plan and a document with chosen fields in no answer', () => {
    const media = (schema: object): object => ({ content: { 'application/json': { schema } } });
    const a = { $ref: '#/components/schemas/A' };
    const plan = { $ref: '#/components/schemas/Plan' };
    const change = { responses: { 200: media({ anyOf: [a, plan] }), 400: media(a) } };
    const creation = { responses: { 200: media(plan), 201: media(a) } };
    const document = {
      paths: { '/a': { get: { responses: { 200: media({ anyOf: [a, {}] }) } }, put: change, post: creation } },
      components: { schemas: { A: {}, Plan: {}, Unused: {} } },
    };
    const success = { description: 'Success', ...media(a) };
    expect(reducedDocument(document)).toMatchObject({
      paths: {
        '/a': {
          get: { responses: { 200: success } },
          put: { responses: { 200: success } },
          post: { responses: { 201: success } },
        },
      },
      components: { schemas: { A: {}, Plan: {} } },
    });
    expect(JSON.stringify(reducedDocument(document))).not.toMatch(/Unused|"400"/);
  });
});
