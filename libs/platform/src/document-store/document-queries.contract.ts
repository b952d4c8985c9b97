import {
  DocumentCollection,
  DocumentFilter,
  DocumentStore,
  FindOptions,
  StoredDocument,
} from './document-store.port.js';

const FLEET: readonly StoredDocument[] = [
  { _id: 'a', color: 'red', size: 3, at: { zone: 'z1', rack: 1 }, tags: ['x', 'y'], name: 'web-1' },
  { _id: 'b', color: 'red', size: 1, at: { zone: 'z2' }, tags: ['y'], name: 'web-2' },
  { _id: 'c', color: 'blue', size: 2, at: { zone: 'z1', rack: 2 }, tags: [], name: 'db.1' },
  { _id: 'd', color: 'blue', at: { zone: 'z3' }, parts: [{ kind: 'p' }, { kind: 'q' }], name: 'webby' },
  { _id: 'e', size: 2, color: null, name: 'WEB-9', done: true },
  { _id: 'f', size: 10, color: 'green', at: { zone: 'z1', rack: 1 }, name: 'dbx1', done: false },
];

const FILTERS: readonly (readonly [DocumentFilter, string])[] = [
  [{}, 'abcdef'],
  [{ color: 'red' }, 'ab'],
  [{ color: 'none' }, ''],
  [{ color: null }, 'e'],
  [{ size: null }, 'd'],
  [{ color: 'red', size: 1 }, 'b'],
  [{ color: { $eq: 'blue' } }, 'cd'],
  [{ color: { $in: ['red', 'green'] } }, 'abf'],
  [{ color: { $in: [] } }, ''],
  [{ size: { $in: [1, null] } }, 'bd'],
  [{ color: { $in: ['red'] }, size: { $in: [2, 3] } }, 'a'],
  [{ _id: { $in: ['a', 'f', 'x'] } }, 'af'],
  [{ _id: { $gt: 'c' } }, 'def'],
  [{ color: { $ne: 'red' } }, 'cdef'],
  [{ size: { $gt: 2 } }, 'af'],
  [{ size: { $gte: 2, $lt: 10 } }, 'ace'],
  [{ size: { $lte: 1 } }, 'b'],
  [{ size: { $exists: false } }, 'd'],
  [{ color: { $exists: true } }, 'abcdef'],
  [{ done: { $exists: true } }, 'ef'],
  [{ done: true }, 'e'],
  [{ 'at.zone': 'z1' }, 'acf'],
  [{ 'at.rack': { $gt: 1 } }, 'c'],
  [{ 'at.rack': { $exists: false } }, 'bde'],
  [{ tags: 'y' }, 'ab'],
  [{ tags: { $in: ['x'] } }, 'a'],
  [{ 'parts.kind': 'q' }, 'd'],
  [{ name: { $regex: '^web' } }, 'abd'],
  [{ name: { $regex: '^db\\.' } }, 'c'],
  [{ name: { $regex: '^web-[12]$' } }, 'ab'],
  [{ $or: [{ color: 'red' }, { size: { $gte: 10 } }] }, 'abf'],
  [
    {
      $or: [
        { color: 'red', size: 3 },
        { color: 'blue', size: 2 },
      ],
    },
    'ac',
  ],
  [{ $and: [{ color: 'red' }, { size: { $gt: 1 } }] }, 'a'],
  [{ color: 'red', $or: [{ size: 1 }, { 'at.zone': 'z3' }] }, 'b'],
  [{ $or: [{ size: { $gt: 2 } }, { size: 2, _id: { $gt: 'c' } }] }, 'aef'],
];

/** The order by fields of which those with a minus descend. */
const by = (...fields: readonly string[]): NonNullable<FindOptions['sort']> =>
  fields.map(field => (field.startsWith('-') ? [field.slice(1), -1] : [field, 1]));

const SORTS: readonly (readonly [DocumentFilter, FindOptions, string])[] = [
  [{}, { sort: by('-_id') }, 'fedcba'],
  [{}, { sort: by('size', '_id') }, 'dbceaf'],
  [{}, { sort: by('-size', '_id') }, 'facebd'],
  [{}, { sort: by('-size', '-_id') }, 'faecbd'],
  [{}, { sort: by('color', '-size', '_id') }, 'ecdfab'],
  [{}, { sort: by('-color', 'size') }, 'bafdce'],
  [{}, { sort: by('at.zone', '-_id') }, 'efcabd'],
  [{ color: 'red' }, { sort: by('size') }, 'ba'],
  [{ color: 'blue' }, { sort: by('size') }, 'dc'],
  [{ size: { $gt: 1 } }, { sort: by('-size', '-_id'), limit: 3 }, 'fae'],
  [{ color: { $in: ['red', 'blue'] } }, { sort: by('-size', '_id'), limit: 2 }, 'ac'],
  [{}, { sort: by('-size', '_id'), limit: 3 }, 'fac'],
  [{}, { sort: by('size', '-_id'), limit: 3 }, 'dbe'],
];

const INDEXED = [
  { name: 'without indexes', indexes: [] },
  {
    name: 'with indexes',
    indexes: ['color', 'size', 'at.zone', 'at.rack', 'tags', 'name', ['color', 'size'], ['size', '_id']],
  },
];

const idsOf = (found: readonly StoredDocument[]): string => found.map(({ _id }) => _id).join('');

/** Describes what filters, sorts and pages return, with and without indexes. */
export function describeDocumentQueries(
  store: () => DocumentStore,
  nameOf: (base: string) => string,
  pagedDocuments: number,
): void {
  describe.each(INDEXED)('queries $name', ({ name, indexes }) => {
    let collection: DocumentCollection;
    beforeAll(async () => {
      collection = await store().collection(nameOf(`queries ${name}`.replaceAll(' ', '-')), indexes);
      await collection.write(FLEET.map(replace => ({ replace })));
    });

    it.each(FILTERS.map(([filter, ids]) => [JSON.stringify(filter), ids, filter] as const))(
      'the filter %s finds %s',
      async (_text, ids, filter) => {
        const found = await collection.find(filter);
        expect(idsOf(found).split('').sort().join('')).toBe(ids);
        expect(await collection.count(filter)).toBe(ids.length);
      },
    );

    it.each(SORTS.map(([filter, options, ids]) => [JSON.stringify([filter, options]), ids, filter, options] as const))(
      'the query %s returns %s in order',
      async (_text, ids, filter, options) => {
        expect(idsOf(await collection.find(filter, options))).toBe(ids);
      },
    );
  });

  it('an index that is added later covers existing documents and later changes', async () => {
    const name = nameOf('later-index');
    const collection = await store().collection(name);
    await collection.write([{ replace: { _id: 'a', n: 1 } }, { replace: { _id: 'b', n: 2 } }]);
    await store().collection(name, ['n']);
    await collection.write([{ replace: { _id: 'a', n: 3 } }, { remove: 'b' }, { replace: { _id: 'c', n: 1 } }]);
    expect(idsOf(await collection.find({ n: { $gte: 1 } }, { sort: [['n', -1]] }))).toBe('ac');
    expect(await collection.find({ n: 2 })).toEqual([]);
  });

  it.each([
    { name: 'without an index', indexes: [] },
    { name: 'with an index over it', indexes: [['deleted', 'x', 'z']] },
  ])('sorts an array by its smallest element ascending and its largest descending, $name', async ({ indexes }) => {
    const collection = await store().collection(nameOf(`arrays-${indexes.length}`), indexes);
    const documents = [
      { _id: 'a', deleted: true, x: { z: 'a' }, z: 'a' },
      { _id: 'b', deleted: false, x: 'b', z: 'a' },
      { _id: 'c', deleted: false, x: ['b', 'a'], z: 'a' },
      { _id: 'd', deleted: false, x: ['b', 'c'], z: 'b' },
    ];
    await collection.write(documents.map(replace => ({ replace })));
    const sorted = async (...fields: readonly string[]): Promise<string> =>
      idsOf(await collection.find({ deleted: false, x: { $in: ['b'] } }, { sort: by(...fields) }));
    expect(await sorted('x', '_id')).toBe('cbd');
    expect(await sorted('-x', '_id')).toBe('dbc');
    expect(await sorted('z', 'x', '_id')).toBe('cbd');
    expect(await sorted('x', '-z', '_id')).toBe('cdb');
  });

  it('pages through many documents return each document once, in order', async () => {
    const collection = await store().collection(nameOf('many'), [['createdAt', '_id']]);
    const all = Array.from({ length: pagedDocuments }, (_, at) => ({
      _id: `m${String(at).padStart(5, '0')}`,
      createdAt: at % 40,
    }));
    await collection.write(all.map(replace => ({ replace })));
    expect(await collection.count({ createdAt: { $lt: 10 } })).toBe(pagedDocuments / 4);
    const seen: string[] = [];
    let filter: DocumentFilter = {};
    for (;;) {
      const page = await collection.find(filter, {
        sort: by('-createdAt', '_id'),
        limit: pagedDocuments / 4,
      });
      const last = page.at(-1);
      if (last === undefined) break;
      seen.push(...page.map(({ _id }) => _id));
      const { createdAt, _id } = last;
      filter = { $or: [{ createdAt: { $lt: createdAt } }, { createdAt, _id: { $gt: _id } }] };
    }
    const wanted = [...all].sort((a, b) => b.createdAt - a.createdAt || (a._id < b._id ? -1 : 1)).map(({ _id }) => _id);
    expect(seen).toEqual(wanted);
  });
}
