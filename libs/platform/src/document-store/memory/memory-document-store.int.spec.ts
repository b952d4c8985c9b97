import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeDocumentStoreContract } from '../document-store.contract.js';
import { DocumentStoreUnavailableError } from '../document-store.port.js';
import { MemoryDocumentStore } from './memory-document-store.js';

describeDocumentStoreContract('memory', async () => {
  const store = await MemoryDocumentStore.open();
  return { store, name: base => base, end: () => store.close() };
});

describe('MemoryDocumentStore', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stave-documents-'));
    file = join(folder, 'sub', 'documents.jsonl');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('has after a start what was saved, and only that', async () => {
    const store = await MemoryDocumentStore.open({ file });
    const things = await store.collection('things', ['n']);
    await things.write([{ replace: { _id: 'a', n: 1, position: 7 } }, { replace: { _id: 'b', n: 2 } }]);
    const saved = store.save();
    await things.write([{ remove: 'a' }]);
    await saved;
    await store.close();

    const again = await MemoryDocumentStore.open({ file });
    const found = await (await again.collection('things', ['n'])).find({}, { sort: [['n', 1]] });
    expect(found).toEqual([
      { _id: 'a', n: 1, position: 7 },
      { _id: 'b', n: 2 },
    ]);
  });

  it('ignores a file that is cut off, and says so', async () => {
    const store = await MemoryDocumentStore.open({ file });
    await (await store.collection('things')).write([{ replace: { _id: 'a' } }, { replace: { _id: 'b' } }]);
    await store.save();
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.slice(0, text.lastIndexOf('{"end"')));
    const warnings: string[] = [];
    const again = await MemoryDocumentStore.open({ file, warn: message => warnings.push(message) });
    expect(warnings).toHaveLength(1);
    expect(await (await again.collection('things')).count({})).toBe(0);
  });

  it('refuses work once it is closed', async () => {
    const store = await MemoryDocumentStore.open();
    const things = await store.collection('things');
    await store.close();
    await expect(things.get('a')).rejects.toBeInstanceOf(DocumentStoreUnavailableError);
    await expect(store.ping()).rejects.toBeInstanceOf(DocumentStoreUnavailableError);
  });

  it('lists a page of 100,000 documents without looking at all of them', async () => {
    const store = await MemoryDocumentStore.open();
    const nodes = await store.collection('nodes', ['groupId', ['createdAt', '_id']]);
    const random = (at: number): number => (at * 7919) % 100_003;
    await nodes.write(
      Array.from({ length: 100_000 }, (_, at) => ({
        replace: { _id: `n${at}`, createdAt: random(at), groupId: `g${at % 500}` },
      })),
    );
    const queries = [
      () =>
        nodes.find(
          {},
          {
            sort: [
              ['createdAt', -1],
              ['_id', 1],
            ],
            limit: 200,
          },
        ),
      () =>
        nodes.find(
          { createdAt: { $lte: 50_000 } },
          {
            sort: [
              ['createdAt', -1],
              ['_id', -1],
            ],
            limit: 200,
          },
        ),
      () =>
        nodes.find(
          { groupId: 'g7' },
          {
            sort: [
              ['createdAt', 1],
              ['_id', 1],
            ],
            limit: 200,
          },
        ),
    ];
    const meanMs = async (query: () => Promise<unknown>, rounds: number): Promise<number> => {
      const started = performance.now();
      for (let round = 0; round < rounds; round += 1) await query();
      return (performance.now() - started) / rounds;
    };
    const lookingAtAll = await meanMs(() => nodes.find({ note: 'none' }), 3);
    for (const query of queries) {
      expect(await query()).toHaveLength(200);
      expect(await meanMs(query, 20)).toBeLessThan(lookingAtAll / 2);
    }
  }, 60_000);
});
