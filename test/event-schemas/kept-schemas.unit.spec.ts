import { withOldVersions } from './kept-schemas.js';

const latest = { category: 'sum', event: 'Added', type: 'stave.sum.added.v2', fact: 'A number was added.' };
const published = { types: [latest], definitions: { 'stave.sum.added.v2': { type: 'object' } } };
const versions = { currentVersion: () => 2 };

describe('schemas of old event versions', () => {
  it('the schema document keeps the schemas of old event versions, with their definitions', () => {
    const known = {
      'stave.sum.added.v1': {
        description: 'A number was added.',
        properties: { unit: { $ref: '#/definitions/Unit' } },
      },
      Unit: { enum: ['piece', 'kg'] },
    };
    expect(withOldVersions(published, known, versions)).toEqual({
      types: [
        {
          ...latest,
          type: 'stave.sum.added.v1',
          fact: 'A number was added. No longer written: the current version is 2.',
        },
        latest,
      ],
      definitions: {
        'stave.sum.added.v1': { properties: { unit: { enum: ['piece', 'kg'] } } },
        'stave.sum.added.v2': { type: 'object' },
      },
    });
  });

  it('a schema of an old event version must not be removed from the schema file', () => {
    expect(() => withOldVersions(published, {}, versions)).toThrow('the schema of stave.sum.added.v1 is missing');
  });
});
