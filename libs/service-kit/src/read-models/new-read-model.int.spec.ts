import { EmbeddedEventStore, MemoryCollection, MemoryDocumentStore } from '@stave/platform';
import { eventually } from '@stave/platform/testing';
import { Counters } from './projector.fixture.js';
import type { Projector } from './projector.js';

const IDS = ['a', 'b', 'c'];
let store: EmbeddedEventStore;
let counters: Counters;

beforeEach(async () => {
  store = await EmbeddedEventStore.open({ memory: true });
  counters = new Counters(store, new MemoryDocumentStore());
});
afterEach(async () => {
  await counters.close();
  await store.close();
  expect(counters.errors).toEqual([]);
});

async function add(projector: Projector, ...ids: readonly string[]): Promise<void> {
  expect(await projector.waitFor(await counters.add(ids, projector), 2_000)).toBe(true);
}

const numbers = async (projector: Projector): Promise<readonly unknown[]> =>
  (await counters.list(projector)).map(({ _id, n }) => [_id, n]);

describe('a read model that is new in a release', () => {
  /** Lets writes to collections of the new read model wait until the returned function is called. */
  function holdBuild(): () => void {
    const { write } = MemoryCollection.prototype;
    let release: () => void = () => undefined;
    const released = new Promise<void>(resolve => (release = resolve));
    const held = new Set<MemoryCollection>();
    const open = counters.documents.collection.bind(counters.documents);
    jest.spyOn(counters.documents, 'collection').mockImplementation(async (name, ...more) => {
      const opened = await open(name, ...more);
      if (name.startsWith('products@') && opened instanceof MemoryCollection) held.add(opened);
      return opened;
    });
    jest.spyOn(MemoryCollection.prototype, 'write').mockImplementation(async function (this: MemoryCollection, writes) {
      if (held.has(this)) await released;
      return write.call(this, writes);
    });
    return release;
  }
  afterEach(() => jest.restoreAllMocks());

  /** Makes the checkpoint one of a release that does not name the read models of it. */
  async function withoutNames(): Promise<void> {
    const documents = await counters.documents.collection('projection');
    for (const document of await documents.find({})) {
      const { models, ...others } = document;
      if (!Array.isArray(models)) continue;
      await documents.write([{ remove: document._id }]);
      await documents.write([{ replace: { ...others, _id: document._id } }]);
    }
  }

  it('the others are served by a replica that does not lead while the elected replica of the former release does not know it', async () => {
    const old = await counters.leader();
    await add(old, ...IDS);
    counters.also = ['products'];
    const next = await counters.replica();
    expect(await next.waitFor(old.position, 2_000, 'sums')).toBe(true);
    expect(await numbers(next)).toEqual(IDS.map(id => [id, 1]));
    expect(await next.waitFor(-1, 100, 'products')).toBe(false);
    const later = await counters.add(['a'], old);
    expect(await next.waitFor(later, 2_000, 'sums')).toBe(true);
    expect((await numbers(next))[0]).toEqual(['a', 2]);
    await old.close();
    next.lead();
    expect(await next.waitFor(later, 2_000, 'products')).toBe(true);
    expect(await next.collection('products').count({})).toBe(IDS.length);
  });

  it('the others are served and written while the elected replica builds it, and it is complete when it serves', async () => {
    const old = await counters.leader();
    await add(old, ...IDS);
    await old.close();
    counters.also = ['products'];
    const release = holdBuild();
    const [leader, follower] = [await counters.leader(), await counters.replica()];
    for (const replica of [leader, follower]) {
      expect(await replica.waitFor(old.position, 2_000, 'sums')).toBe(true);
      expect(await replica.waitFor(old.position, 50, 'products')).toBe(false);
    }
    const waiting = [leader, follower].map(replica => replica.waitFor(old.position, 5_000, 'products'));
    release();
    expect(await Promise.all(waiting)).toEqual([true, true]);
    const later = await counters.add(['a', 'd'], leader);
    for (const replica of [leader, follower]) {
      expect(await replica.waitFor(later, 5_000, 'products')).toBe(true);
      expect(await replica.collection('products').count({})).toBe(IDS.length + 1);
    }
  });

  it.each(['the release that names the read models of its checkpoint', 'a release that does not'])(
    'is built again where the leadership went back to %s, and on to the new one',
    async release => {
      const old = await counters.leader();
      await add(old, ...IDS);
      old.follow();
      counters.also = ['products'];
      const next = await counters.leader();
      await add(next, 'a');
      expect(await next.waitFor(next.position, 2_000, 'products')).toBe(true);
      next.follow();
      old.lead();
      counters.also = [];
      await add(old, 'a', 'b');
      old.follow();
      if (release.startsWith('a ')) await withoutNames();
      next.advance(await store.head());
      next.lead();
      await eventually(async () => {
        const [documents, wanted] = [await next.collection('products').find({}, { sort: [['_id', 1]] }), numbers(next)];
        return JSON.stringify(documents.map(({ _id, n }) => [_id, n])) === JSON.stringify(await wanted);
      }, 'the new read model shows what was written meanwhile');
    },
  );

  it('is not built again by the next replica that knows it', async () => {
    counters.also = ['products'];
    const first = await counters.leader();
    await add(first, ...IDS);
    const { serving } = await first.status('products');
    first.follow();
    const second = await counters.leader();
    await add(second, 'a');
    expect((await second.status('products')).serving).toEqual(serving);
  });

  it('the next elected replica builds it from the start when the first one is lost during the build', async () => {
    const old = await counters.leader();
    await add(old, ...IDS);
    await old.close();
    counters.also = ['products'];
    const release = holdBuild();
    const lost = await counters.leader();
    await eventually(async () => (await lost.status('products')).status === 'BUILDING', 'the build has begun');
    counters.lose(lost);
    release();
    await counters.add(['a']);
    const next = await counters.leader();
    expect(await next.waitFor(await store.head(), 5_000)).toBe(true);
    const built = await next.collection('products').find({}, { sort: [['_id', 1]] });
    expect(built.map(({ _id, n }) => [_id, n])).toEqual(await numbers(next));
  });
});
