import { MemoryDocumentStore } from '@stave/platform';
import { listDocuments } from './list-query.js';
import { ModelWriter } from './model-writer.js';

it('a model writer writes documents with their search fields to the serving collection and to the one that is being built', async () => {
  const document = { _id: '1', id: '1', deleted: false, position: 3, name: 'Web', labels: { env: 'prod' } };
  const definition = { name: 'things', indexes: [], document: () => document, all: () => [['1', 3] as const] };
  const store = new MemoryDocumentStore();
  const writer = new ModelWriter(definition, store);
  await writer.resume('things@1', -1);
  await writer.begin('things@2');
  await writer.flush();
  await writer.continueBuild();
  expect(await writer.agrees()).toBe(true);
  for (const name of ['things@1', 'things@2']) {
    const collection = await store.collection(name);
    for (const filter of [{ nameKey: 'web' }, { labelPairs: 'env=prod' }]) {
      const { items } = await listDocuments('things', collection, { limit: 5, filter }, {});
      expect(items).toEqual([{ id: '1', name: 'Web', labels: { env: 'prod' } }]);
    }
  }
});

it('a model writer removes tombstones after their time, those without a time, and what has expired', async () => {
  const expired = () => ({ n: { $lt: 3 } });
  const definition = { name: 'things', indexes: [], document: () => undefined, all: () => [], expired };
  const store = new MemoryDocumentStore();
  const writer = new ModelWriter(definition, store);
  await writer.resume('things@1', -1);
  const collection = await store.collection('things@1');
  const documents = [
    { _id: 'old', deleted: true, deletedAt: '2026-01-01T00:00:00.000Z' },
    { _id: 'of an earlier release', deleted: true },
    { _id: 'new', deleted: true, deletedAt: '2026-01-03T00:00:00.000Z' },
    { _id: 'there', deleted: false, n: 3 },
    { _id: 'expired', deleted: false, n: 2 },
  ];
  await collection.write(documents.map(document => ({ replace: document })));
  await writer.expire('2026-01-02T00:00:00.000Z');
  expect((await collection.find({}, { sort: [['_id', 1]] })).map(({ _id }) => _id)).toEqual(['new', 'there']);
});

it('a replica that ends waits for a few documents where the store writes them one after the other', async () => {
  const ids = Array.from({ length: 1_000 }, (_, at) => `x${at}`);
  const definition = {
    name: 'things',
    indexes: [],
    document: (_id: string) => ({ _id, position: 1 }),
    all: () => ids.map(id => [id, 1] as const),
  };
  const store = Object.assign(new MemoryDocumentStore(), { writesAtOnce: 20 });
  const writer = new ModelWriter(definition, store);
  await writer.resume('things@1', -1);
  let mayWrite = 3;
  await writer.flush(() => mayWrite-- > 0);
  expect(await (await store.collection('things@1')).count({})).toBe(60);
  await writer.begin('things@2');
  mayWrite = 2;
  expect(await writer.continueBuild(() => mayWrite-- > 0)).toBe(false);
  expect(await (await store.collection('things@2')).count({})).toBe(40);
});
