import { jsonText } from './json-text.js';

describe('jsonText', () => {
  const frozen = (value: object): object => Object.freeze(value);

  it.each([
    [{ id: 'a', labels: { x: '1' } }],
    [frozen({ id: 'a' })],
    [{ items: [], nextCursor: null }],
    [{ items: [] }],
    [{ items: [frozen({ id: 'a' }), { id: 'b', gone: undefined }], nextCursor: 'c', total: 2 }],
    [{ items: ['text', 1, null], nextCursor: null }],
    [{ items: 'no list' }],
    [['a', { id: 'b' }]],
  ])('returns the same JSON as JSON.stringify for %j, also from its cache', value => {
    for (let i = 0; i < 2; i++) expect(JSON.parse(jsonText(value))).toEqual(JSON.parse(JSON.stringify(value)));
  });

  it('converts a document that can change to JSON each time', () => {
    const item = { status: 'CREATING' };
    const page = { items: [item], nextCursor: null };
    expect(jsonText(page)).toContain('CREATING');
    item.status = 'ACTIVE';
    expect(jsonText(page)).toContain('ACTIVE');
  });
});
