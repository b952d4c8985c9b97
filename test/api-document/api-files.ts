import { apiDocument } from '@stave/api-gateway';
import { repositoryRoot } from '@stave/testing';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { reducedDocument } from './client-types.js';

export const documentFile = join(repositoryRoot(), 'docs/reference/openapi.json');
export const clientTypesFile = join(repositoryRoot(), 'libs/client/src/api.ts');

const head = `/* eslint-disable */
// Generated from the OpenAPI document by \`npm run api-document\`.
`;

/** Returns the content of docs/reference/openapi.json. */
export const documentText = (): string => `${JSON.stringify(apiDocument(), null, 1)}\n`;

/** Returns the content of libs/client/src/api.ts. The generator is an ES module, which Jest cannot load: it runs in a process of its own. */
export async function clientTypesText(): Promise<string> {
  const generator = join(repositoryRoot(), 'node_modules/openapi-typescript/bin/cli.js');
  const child = spawn(process.execPath, [generator, '--empty-objects-unknown'], { stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(JSON.stringify(reducedDocument(apiDocument())));
  const closed = once(child, 'close');
  const [types, messages] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await closed;
  if (code !== 0) throw new Error(`openapi-typescript ended with ${code}: ${messages}`);
  return head + types;
}
