import { readFileSync } from 'node:fs';
import { apiDocument } from '@stave/api-gateway';
import { documentFile } from './api-files.js';
import { breakingChanges, undeclaredChanges, type ComparedDocument } from './breaking-changes.js';

const pet = {
  type: 'object',
  required: ['id', 'name'],
  properties: {
    id: { type: 'string' },
    name: { type: 'string', maxLength: 10 },
    parent: { type: 'string' },
  },
};
const kind = { name: 'kind', in: 'query', schema: { enum: ['cat', 'dog'] } };
const json = (schema: object): object => ({ content: { 'application/json': { schema } } });

function petsWith(change: {
  readonly sent?: object;
  readonly read?: object;
  readonly parameters?: readonly object[];
  readonly role?: string;
  readonly paths?: object;
}): ComparedDocument {
  const { sent = pet, read = pet, parameters = [kind], role = 'member' } = change;
  const post = {
    'x-stave-role': role,
    parameters,
    requestBody: { required: true, ...json({ $ref: '#/components/schemas/Sent' }) },
    responses: { 201: json({ $ref: '#/components/schemas/Pet' }), 400: json({}) },
  };
  return {
    paths: change.paths ?? { '/pets': { post } },
    components: { schemas: { Pet: read, Sent: sent } },
  } as unknown as ComparedDocument;
}

const before = petsWith({});
const without = (name: string): object => ({
  ...pet,
  required: pet.required.filter(other => other !== name),
  properties: Object.fromEntries(Object.entries(pet.properties).filter(([other]) => other !== name)),
});
const tag = { ...pet, properties: { ...pet.properties, tag: { type: 'string' } } };

describe('breaking changes of the document of the API', () => {
  it.each([
    ['an operation that is gone', petsWith({ paths: {} }), 'POST /pets is gone'],
    ['a stronger role', petsWith({ role: 'admin' }), 'POST /pets: requires the role admin'],
    ['a parameter that is gone', petsWith({ parameters: [] }), 'POST /pets: query parameter kind is gone'],
    [
      'a parameter with fewer values',
      petsWith({ parameters: [{ ...kind, schema: { enum: ['cat'] } }] }),
      'POST /pets: query parameter kind / no longer takes "dog"',
    ],
    [
      'a parameter that is required',
      petsWith({ parameters: [{ ...kind, required: true }] }),
      'POST /pets: query parameter kind is required',
    ],
    ['a member of the body that is gone', petsWith({ sent: without('name') }), 'POST /pets: body /name is gone'],
    [
      'a member of the body that is newly required',
      petsWith({ sent: { ...tag, required: ['id', 'name', 'tag'] } }),
      'POST /pets: body /tag is required',
    ],
    [
      'less room in the body',
      petsWith({ sent: { ...pet, properties: { ...pet.properties, name: { type: 'string', maxLength: 9 } } } }),
      'POST /pets: body /name has the maxLength 9',
    ],
    [
      'a member of the answer that is gone',
      petsWith({ read: without('name') }),
      'POST /pets: answer 201 /name is gone',
    ],
    [
      'a member of the answer that may be absent',
      petsWith({ read: { ...pet, required: ['id'] } }),
      'POST /pets: answer 201 /name is not always there',
    ],
    [
      'another type in the answer',
      petsWith({ read: { ...pet, properties: { ...pet.properties, id: { type: 'integer' } } } }),
      'POST /pets: answer 201 /id is integer instead of string',
    ],
  ])('%s', (_title, after, change) => {
    expect(breakingChanges(before, after)).toContain(change);
  });

  it.each([
    ['the same document', before],
    ['another operation', petsWith({ paths: { ...before.paths, '/others': { get: {} } } })],
    ['an optional member of the body and of the answer', petsWith({ sent: tag, read: tag })],
    ['another optional parameter', petsWith({ parameters: [kind, { name: 'age', in: 'query', schema: {} }] })],
    ['a weaker role', petsWith({ role: 'reader' })],
    ['a member of the body that may be left out', petsWith({ sent: { ...pet, required: ['id'] } })],
    ['a member of the answer that is always there', petsWith({ read: { ...pet, required: ['id', 'name', 'parent'] } })],
  ])('not: %s', (_title, after) => {
    expect(breakingChanges(before, after)).toEqual([]);
  });

  it('the routes break nothing that docs/reference/openapi.json promises, but for what breaking-changes.json declares', () => {
    const committed = JSON.parse(readFileSync(documentFile, 'utf8'));
    expect(undeclaredChanges(committed, apiDocument() as unknown as ComparedDocument)).toEqual([]);
  });
});
