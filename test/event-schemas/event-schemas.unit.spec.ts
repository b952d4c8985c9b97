import { readFile } from 'node:fs/promises';
import { Ajv } from 'ajv';
import { withOldVersions } from './kept-schemas.js';
import { publishedTypes } from './published-types.js';
import { rowsOf, schemaDocument, schemaFile, tableFile, tableRows, writtenDefinitions } from './schema-documents.js';

const envelope = {
  specversion: '1.0',
  id: 'e',
  source: '/stave/i',
  subject: 'node/n',
  time: '2026-01-01T00:00:00.000Z',
  revision: 0,
  position: '1',
  correlationid: 'c',
};

describe('the schemas of events', () => {
  const published = withOldVersions(publishedTypes(), writtenDefinitions());

  it('the schema file matches the event types (`npm run event-schemas` updates it)', async () => {
    expect(JSON.parse(await readFile(schemaFile, 'utf8'))).toEqual(schemaDocument(published));
  }, 120_000);

  it('docs/reference/events.md lists every event type and no other', async () => {
    expect(rowsOf(await readFile(tableFile, 'utf8'))).toEqual(tableRows(published));
    expect(published.types.length).toBeGreaterThan(50);
    expect(new Set(published.types.map(({ type }) => type)).size).toBe(published.types.length);
  }, 120_000);

  it('the schemas accept valid events with unknown members, and refuse invalid events', async () => {
    const accepts = new Ajv({ strict: false, validateFormats: false }).compile(
      JSON.parse(await readFile(schemaFile, 'utf8')),
    );
    const claimed = {
      taskId: 't',
      kind: 'node.create',
      generation: 1,
      attempt: 1,
      conductor: 'k',
      session: 's',
      epoch: 2,
    };
    const event = (type: string, data?: object) => accepts({ ...envelope, type, data });
    expect(event('stave.node.taskClaimed.v1', { ...claimed, later: 1 })).toBe(true);
    expect(event('stave.node.taskClaimed.v1', { ...claimed, attempt: 'one' })).toBe(false);
    expect(event('stave.node.taskFailed.v1', { ...claimed, failure: 'odd', message: '' })).toBe(false);
    expect(event('stave.node.neverHeardOf.v1', {})).toBe(false);
    const changes = { network: { cidr: '10.0.0.0/8' } };
    expect(event('stave.cluster.updated.v1', { changes })).toBe(true);
    expect(event('stave.cluster.updated.v1', {})).toBe(false);
  });
});
