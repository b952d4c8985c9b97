import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { asyncApiDocument } from '@stave/api-gateway';
import { describeOn, repositoryRoot } from '@stave/testing';
import { schemaFile } from '../event-schemas/schema-documents.js';

const run = promisify(execFile);
const eventSchemas = JSON.parse(readFileSync(schemaFile, 'utf8'));
const docs = join(repositoryRoot(), 'docs');
const missing = existsSync(join(docs, 'node_modules/@asyncapi/parser')) ? undefined : 'run `npm ci` in docs';

interface Diagnostic {
  readonly severity: number;
  readonly code: string;
  readonly message: string;
}

describeOn(missing, 'the AsyncAPI document', () => {
  /** The parser is installed with the tools of the documentation only, and reads the document in a process of its own. */
  async function parsed(document: unknown): Promise<{ readonly valid: boolean; readonly diagnostics: Diagnostic[] }> {
    const child = run(process.execPath, [join(docs, 'tools/parse-async-api.mjs')], { maxBuffer: 1 << 26 });
    child.child.stdin?.end(JSON.stringify(document));
    return JSON.parse((await child).stdout);
  }

  it('is accepted by the parser of AsyncAPI without a warning', async () => {
    const { valid, diagnostics } = await parsed(asyncApiDocument(eventSchemas, '1.0.0'));
    const known = diagnostics.filter(({ code }) => code !== 'asyncapi-latest-version');
    expect({ valid, known }).toEqual({ valid: true, known: [] });
  }, 120_000);

  it('is refused by it where a message refers to nothing', async () => {
    const document = asyncApiDocument({ ...eventSchemas, definitions: {} }, '1.0.0');
    expect((await parsed(document)).valid).toBe(false);
  }, 120_000);
});
