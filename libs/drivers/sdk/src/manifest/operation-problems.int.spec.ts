import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Driver } from '../driver.js';
import { loadManifest, MANIFEST_FILE } from './load-manifest.js';
import { missingOperations, operationPartProblems, typedParameters } from './operation-schemas.js';

const closed = { type: 'object', additionalProperties: false };
const operation = { name: 'times', method: 'GET', path: '/times/{zone}', role: 'reader' };
const valid = {
  ...operation,
  parameters: { ...closed, properties: { zone: { type: 'string' }, count: { type: 'integer', minimum: 1 } } },
};

describe('Operations of a manifest', () => {
  let directory = '';
  beforeEach(async () => (directory = await mkdtemp(join(tmpdir(), 'stave-operations-'))));
  afterEach(() => rm(directory, { recursive: true }));

  async function load(operations: unknown, capabilities: readonly string[] = ['api']) {
    const named = { name: 'test_driver', version: '1.0.0', sdk: '^1', engine: 'none', os: 'any', serverType: 'fake' };
    const manifest = { ...named, capabilities, options: closed, ...(operations !== undefined && { operations }) };
    await writeFile(join(directory, MANIFEST_FILE), JSON.stringify(manifest));
    return loadManifest(directory);
  }

  it('are loaded with all that they declare', async () => {
    const complete = { ...valid, answer: { type: 'string' }, streaming: true, deadlineSeconds: 60, maxAnswerBytes: 9 };
    const write = { ...operation, name: 'write', method: 'POST', path: '/times', request: closed, answer: true };
    expect((await load([complete, write])).operations).toEqual([complete, write]);
  });

  it.each([
    ['/operations/0/role must be equal', [{ ...valid, role: 'operator' }]],
    ['/operations/0/role must have required', [{ ...valid, role: undefined }]],
    ['/operations/0/colour', [{ ...valid, colour: 'red' }]],
    ['/operations/0/method', [{ ...valid, method: 'TRACE' }]],
    ['/operations/0/name', [{ ...valid, name: 'a.b' }]],
    ['/operations/0/path', [{ ...valid, path: '/a/b' }]],
    ['/operations/0/path', [{ ...valid, path: '/a/{b}/{c}' }]],
    ['/operations/0/path zone is not one of the parameters', [operation]],
    ['/operations/0/deadlineSeconds', [{ ...valid, deadlineSeconds: 61 }]],
    ['/operations/0/deadlineSeconds', [{ ...valid, deadlineSeconds: 0 }]],
    ['/operations/0/maxAnswerBytes', [{ ...valid, maxAnswerBytes: 0 }]],
    ['/operations/0/parameters/additionalProperties', [{ ...valid, parameters: { type: 'object' } }]],
    ['/operations/0/request/type', [{ ...valid, method: 'POST', request: { ...closed, type: 'array' } }]],
    ['/operations/0/request a GET has no body', [{ ...valid, request: closed }]],
    ['/operations/0/answer', [{ ...valid, answer: { type: 'colour' } }]],
    ['/operations/0/parameters/properties/zone/type', [{ ...valid, parameters: withZone({ type: 'object' }) }]],
    ['/operations/0/parameters/properties/zone/type', [{ ...valid, parameters: withZone({}) }]],
    ['/operations/1 repeats GET /times/{}', [valid, { ...valid, name: 'again' }]],
    ['/operations/1 repeats GET /times/{}', [valid, { ...valid, name: 'again', path: '/times/{count}' }]],
    ['/operations/1/name repeats times', [valid, { ...valid, path: '/other/{zone}' }]],
  ])('are refused at %s', async (reason, operations) => {
    await expect(load(operations)).rejects.toThrow(reason);
  });

  it('and the capability api need each other', async () => {
    await expect(load([valid], [])).rejects.toThrow('/operations needs the capability api');
    await expect(load(undefined)).rejects.toThrow('/operations must be present');
  });

  it('are compared with those that the driver has', () => {
    const driver = { api: { times: async () => 1, toString: undefined } } as unknown as Driver;
    const declared = ['times', 'valueOf'].map(name => ({ ...valid, name })) as never;
    expect(missingOperations({ operations: declared }, driver)).toEqual(['valueOf']);
  });

  it('get their parameters by type, and name what is not valid', async () => {
    const [loaded] = (await load([valid])).operations ?? [];
    if (!loaded) throw new Error('the operation was not loaded');
    const problems = (texts: Record<string, unknown>) =>
      operationPartProblems(loaded, 'parameters', typedParameters(loaded, texts)).map(problem => problem.pointer);
    expect(typedParameters(loaded, { zone: '1', count: '3' })).toEqual({ zone: '1', count: 3 });
    expect(problems({ zone: '1', count: '3' })).toEqual([]);
    expect(problems({ count: 'three', hue: 'x' }).sort()).toEqual(['/count', '/hue']);
    expect(problems({ count: ['1', '2'] })).toEqual(['/count']);
    expect(problems({ count: '0' })).toEqual(['/count']);
  });
});

function withZone(schema: object): object {
  return { ...closed, properties: { zone: schema } };
}
