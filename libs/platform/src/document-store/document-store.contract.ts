import { describeDocumentQueries } from './document-queries.contract.js';
import { DocumentCollection, DocumentStore } from './document-store.port.js';

/** A store for a suite; `name` returns collection names that no other test uses, and `end` releases it. */
interface DocumentStoreUnderTest {
  readonly store: DocumentStore;
  readonly name: (base: string) => string;
  /** Opens a second store over the same data, as another process does. */
  readonly another?: () => Promise<DocumentStore>;
  readonly end: () => Promise<void>;
}

interface ContractScope {
  /** False for a server that does not isolate guarded replaces of concurrent writers: FerretDB 1.24 on SQLite. */
  readonly guardsConcurrentWriters?: boolean;
  /** The number of documents in the test of pages, a multiple of 40; default 2,400. */
  readonly pagedDocuments?: number;
}

/** Describes the promises of the document store port. Every adapter runs them. */
export function describeDocumentStoreContract(
  name: string,
  factory: () => Promise<DocumentStoreUnderTest>,
  { guardsConcurrentWriters = true, pagedDocuments = 2_400 }: ContractScope = {},
): void {
  describe(`document store contract: ${name}`, () => {
    let under: DocumentStoreUnderTest;
    let collection: DocumentCollection;
    beforeAll(async () => {
      under = await factory();
    });
    beforeEach(async () => {
      collection = await under.store.collection(under.name('documents'), ['color', ['color', 'size']]);
    });
    afterAll(() => under.end());

    describeWrites(() => collection);
    describeGuard(
      () => collection,
      async () => {
        const store = await under.another?.();
        return {
          store,
          collection: await (store ?? under.store).collection(collection === undefined ? '' : under.name('shared')),
        };
      },
      async () => under.store.collection(under.name('shared')),
      guardsConcurrentWriters,
    );
    describeDocumentQueries(
      () => under.store,
      base => under.name(base),
      pagedDocuments,
    );

    it('names its collections, drops one, and does nothing when it does not exist', async () => {
      const name = under.name('dropped');
      await (await under.store.collection(name, ['a'])).write([{ replace: { _id: 'd1', a: 1 } }]);
      expect(await under.store.names()).toContain(name);
      await under.store.drop(name);
      expect(await under.store.names()).not.toContain(name);
      await under.store.drop(name);
      const again = await under.store.collection(name);
      expect(await again.count({})).toBe(0);
      await again.write([{ replace: { _id: 'd2' } }]);
      expect(await again.get('d2')).toEqual({ _id: 'd2' });
    });

    it('answers a ping', async () => {
      await expect(under.store.ping()).resolves.toBeUndefined();
    });
  });
}

function describeWrites(collection: () => DocumentCollection): void {
  it('returns a written document unchanged, and nothing for an unknown id', async () => {
    const document = { _id: 'w1', text: 'ä', list: [1, { a: null }], nested: { deep: { yes: true } }, number: 1.5 };
    await collection().write([{ replace: document }]);
    expect(await collection().get('w1')).toEqual(document);
    expect(await collection().get('w-unknown')).toBeUndefined();
  });

  it('replaces a document completely', async () => {
    await collection().write([{ replace: { _id: 'w2', a: 1 } }]);
    await collection().write([{ replace: { _id: 'w2', b: 2 } }]);
    expect(await collection().get('w2')).toEqual({ _id: 'w2', b: 2 });
  });

  it('applies the writes of a batch in order', async () => {
    await collection().write([
      { replace: { _id: 'w3', turn: 1 } },
      { remove: 'w3' },
      { replace: { _id: 'w3', turn: 2 } },
      { replace: { _id: 'w4', turn: 1, position: 1 } },
      { replace: { _id: 'w4', turn: 2, position: 2 } },
      { replace: { _id: 'w5' } },
      { remove: 'w5' },
    ]);
    expect(await collection().getMany(['w3', 'w4', 'w5'])).toEqual([
      { _id: 'w3', turn: 2 },
      { _id: 'w4', turn: 2, position: 2 },
    ]);
  });

  it('accepts an empty batch and the removal of a missing document', async () => {
    await collection().write([]);
    await expect(collection().write([{ remove: 'w-nothing' }])).resolves.toBeUndefined();
  });

  it('returns each known document once from getMany', async () => {
    await collection().write([{ replace: { _id: 'w6' } }, { replace: { _id: 'w7' } }]);
    const found = await collection().getMany(['w6', 'w-unknown', 'w7', 'w6']);
    expect(found.map(({ _id }) => _id).sort()).toEqual(['w6', 'w7']);
    expect(await collection().getMany([])).toEqual([]);
  });

  it('keeps null, and treats undefined fields as absent', async () => {
    await collection().write([{ replace: { _id: 'w8', gone: undefined, nothing: null } }]);
    const found = await collection().get('w8');
    expect(JSON.parse(JSON.stringify(found))).toEqual({ _id: 'w8', nothing: null });
    expect(await collection().find({ _id: 'w8', gone: { $exists: true } })).toEqual([]);
  });

  it('removes every document with clear and accepts writes afterwards', async () => {
    await collection().write([{ replace: { _id: 'w9' } }]);
    await collection().clear();
    expect(await collection().count({})).toBe(0);
    await collection().write([{ replace: { _id: 'w9', again: true } }]);
    expect(await collection().get('w9')).toEqual({ _id: 'w9', again: true });
  });
}

type Another = () => Promise<{ store: DocumentStore | undefined; collection: DocumentCollection }>;

function describeGuard(
  collection: () => DocumentCollection,
  another: Another,
  shared: () => Promise<DocumentCollection>,
  guardsConcurrentWriters: boolean,
): void {
  it('never replaces a document by one with a lower or equal position', async () => {
    await collection().write([{ replace: { _id: 'g1', position: 5, by: 'first' } }]);
    await collection().write([{ replace: { _id: 'g1', position: 4, by: 'late' } }]);
    await collection().write([{ replace: { _id: 'g1', position: 5, by: 'repeat' } }]);
    expect(await collection().get('g1')).toEqual({ _id: 'g1', position: 5, by: 'first' });
    await collection().write([{ replace: { _id: 'g1', position: 6, by: 'newer' } }]);
    expect(await collection().get('g1')).toEqual({ _id: 'g1', position: 6, by: 'newer' });
  });

  it('replaces a document without a position by any, and any by one without a position', async () => {
    await collection().write([{ replace: { _id: 'g2', by: 'none' } }]);
    await collection().write([{ replace: { _id: 'g2', position: 0, by: 'guarded' } }]);
    expect(await collection().get('g2')).toEqual({ _id: 'g2', position: 0, by: 'guarded' });
    await collection().write([{ replace: { _id: 'g2', by: 'plain' } }]);
    expect(await collection().get('g2')).toEqual({ _id: 'g2', by: 'plain' });
  });

  it('applies the other writes of a batch when one is stale', async () => {
    await collection().write([{ replace: { _id: 'g3', position: 9 } }]);
    await collection().write([
      { replace: { _id: 'g4', position: 1 } },
      { replace: { _id: 'g3', position: 8 } },
      { replace: { _id: 'g5', position: 1 } },
    ]);
    expect((await collection().getMany(['g3', 'g4', 'g5'])).map(({ position }) => position)).toEqual([9, 1, 1]);
  });

  if (!guardsConcurrentWriters) return;

  it('keeps the highest position of concurrent writers in any order', async () => {
    const here = await shared();
    const there = await another();
    const ids = Array.from({ length: 5 }, (_, at) => `g6-${at}`);
    const round = (target: DocumentCollection, position: number): Promise<void> =>
      target.write(ids.map(id => ({ replace: { _id: id, position, by: `writer-${position}` } })));
    const positions = Array.from({ length: 24 }, (_, at) => ((at * 7) % 24) + 1);
    await Promise.all(positions.map(position => round(position % 2 === 0 ? here : there.collection, position)));
    expect(await here.find({}, { sort: [['_id', 1]] })).toEqual(
      ids.map(_id => ({ _id, position: 24, by: 'writer-24' })),
    );
    await there.store?.close();
  });
}
