import { MemoryDocumentStore } from '@stave/platform';
import { describeLists } from './lists.contract.js';
import { listDocuments } from './list-query.js';

let store: MemoryDocumentStore;
beforeAll(async () => void (store = new MemoryDocumentStore()));
describeLists(() => store, 'lists');

describe('listDocuments', () => {
  it.each([
    [
      [
        ['size', -1],
        ['name', 1],
      ],
    ],
    [
      [
        ['size', 1],
        ['name', -1],
      ],
    ],
    [[['name', 1]]],
  ] as const)('pages sorted by %j contain every unchanged document once, despite nulls and changes', async sort => {
    const collection = await new MemoryDocumentStore().collection('d');
    const doc = (i: number, deleted = false) => ({
      replace: { _id: `d${i}`, id: `d${i}`, deleted, name: `n${i % 3}`, ...(i % 4 === 0 ? {} : { size: i % 5 }) },
    });
    await collection.write(Array.from({ length: 40 }, (_, i) => doc(i)));
    const expected = (
      await collection.find({ deleted: false }, { sort: [...sort, ['_id', sort.at(-1)?.[1] ?? 1]] })
    ).map(d => d._id);
    const seen: string[] = [];
    let cursor: string | null | undefined;
    for (let page = 0; cursor !== null; page++) {
      const query = { limit: 7, sort, filter: {}, ...(cursor === undefined ? {} : { cursor }) };
      const found = await listDocuments('d', collection, query, {});
      seen.push(...found.items.map(d => d.id));
      cursor = found.nextCursor;
      await collection.write([doc(100 + page), doc(100 + page, true)]);
      if (page > 20) throw new Error('endless');
    }
    expect(seen).toEqual(expected);
  });

  it('limits pages by bytes, but to at least one item, and continues after the last item', async () => {
    const collection = await store.collection('large');
    const text = 'x'.repeat(400_000);
    const sizes = [1, 1, 1, 3, 1];
    await collection.write(
      sizes.map((size, at) => ({ replace: { _id: `d${at}`, deleted: false, id: `d${at}`, text: text.repeat(size) } })),
    );
    const pages: string[][] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const query = { limit: 10, sort: [['id', 1]] as const, filter: {}, ...(cursor === undefined ? {} : { cursor }) };
      const page = await listDocuments('large', collection, query, {});
      pages.push(page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    expect(pages).toEqual([['d0', 'd1'], ['d2'], ['d3'], ['d4']]);
  });

  it('accepts a cursor of the same list, order and filter only', async () => {
    const collection = await new MemoryDocumentStore().collection('d');
    await collection.write(['a', 'b', 'c'].map(id => ({ replace: { _id: id, deleted: false, name: id, kind: 'k' } })));
    const filter = { $and: [{ name: { $in: ['a', 'b'] } }, { kind: 'k' }] };
    const query = { limit: 1, sort: [['name', 1]] as const, filter };
    const { nextCursor: cursor } = await listDocuments('d', collection, query, {});
    if (cursor === null) throw new Error('there is a second page');
    const page = async (name: string, more: object): Promise<unknown> =>
      listDocuments(name, collection, { ...query, cursor, ...more }, {}).then(
        ({ items }) => items.map(item => item.name),
        error => [error.error.code, error.error.kind],
      );
    expect(await page('d', {})).toEqual(['b']);
    const turned = { $and: [{ kind: 'k' }, { name: { $in: ['b', 'a'] } }] };
    expect(await page('d', { filter: turned, limit: 9, total: true })).toEqual(['b']);
    for (const [name, more] of [
      ['e', {}],
      ['d', { sort: [['name', -1]] }],
      ['d', { sort: [['kind', 1]] }],
      ['d', { filter: {} }],
      ['d', { cursor: 'abc' }],
      ['d', { cursor: Buffer.from('null').toString('base64url') }],
    ] as const)
      expect(await page(name, more)).toEqual(['invalid-cursor', 'invalid']);
  });
});
