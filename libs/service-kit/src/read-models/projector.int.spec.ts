import { EmbeddedEventStore, MemoryCollection, MemoryDocumentStore, type StoredDocument } from '@stave/platform';
import { eventually } from '@stave/platform/testing';
import { isDeepStrictEqual } from 'node:util';
import { Bookkeeping } from './bookkeeping.js';
import { ModelCatalog } from './model-catalog.js';
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

const collection = async (name: string) => counters.documents.collection(name);

const serving = async (projector: Projector): Promise<string> =>
  (await projector.status('sums')).serving?.collection ?? 'none';

async function wipe(projector: Projector): Promise<void> {
  for (const name of [await serving(projector), 'projection']) await (await collection(name)).clear();
}

/** Removes all documents before the first write of a document for which `isDue` holds. Resolves to the names of their collections. */
function wipeBefore(isDue: (document: StoredDocument) => boolean): Promise<readonly string[]> {
  const { write } = MemoryCollection.prototype;
  return new Promise(resolve => {
    const spy = jest.spyOn(MemoryCollection.prototype, 'write');
    spy.mockImplementation(async function (this: MemoryCollection, writes) {
      if (writes.some(one => 'replace' in one && isDue(one.replace))) {
        spy.mockRestore();
        const names = await counters.documents.names();
        for (const name of names) await (await collection(name)).clear();
        resolve(names);
      }
      return write.call(this, writes);
    });
  });
}

describe('Projector', () => {
  it('writes changed documents, also while two replicas lead; a follower waits for the checkpoint', async () => {
    const [leader, rival] = [await counters.leader(), await counters.leader()];
    const follower = await counters.replica();
    let position = -1;
    for (let i = 0; i < 20; i++) position = await counters.add([`x${i % 7}`], leader, rival);
    expect(await follower.waitFor(position, 5_000)).toBe(true);
    expect((await counters.list(follower)).map(({ n }) => n)).toEqual([3, 3, 3, 3, 3, 3, 2]);
    expect(await follower.waitFor(position + 1, 60)).toBe(false);
    // a replica that lost a race for the catalog reports it, and continues
    for (const error of counters.errors.splice(0)) expect(String(error)).toContain('another replica');
  });

  it('writes the document of an own change before the feed delivers its event, and again then', async () => {
    const leader = await counters.leader();
    await add(leader, 'a');
    const { position } = leader;
    const later = await counters.add(['a', 'b']);
    for (const id of ['a', 'b']) leader.touch('sums', id, later);
    const shown = [
      ['a', 2],
      ['b', 1],
    ];
    await eventually(async () => isDeepStrictEqual(await numbers(leader), shown), 'the own changes');
    expect(leader.position).toBe(position);
    leader.advance(later);
    expect(await leader.waitFor(later, 5_000)).toBe(true);
    expect(await numbers(leader)).toEqual(shown);
  });

  it('writes only the documents changed since the checkpoint when it takes over', async () => {
    const first = await counters.leader();
    await add(first, ...IDS);
    await first.close();
    await (await collection(await serving(first))).write([{ remove: 'a' }]);
    await counters.add(['c']);
    const second = await counters.leader();
    expect(await second.waitFor(await store.head(), 2_000)).toBe(true);
    expect(await numbers(second)).toEqual([
      ['b', 1],
      ['c', 2],
    ]);
  });

  it('a replica that takes over answers from what its predecessor has stored until it knows what to write', async () => {
    const first = await counters.leader();
    await add(first, ...IDS);
    await first.close();
    const { takeOver } = Bookkeeping.prototype;
    let takes: () => void = () => undefined;
    const mayTake = new Promise<void>(resolve => (takes = resolve));
    jest.spyOn(Bookkeeping.prototype, 'takeOver').mockImplementationOnce(async function (this: Bookkeeping, ...given) {
      await mayTake;
      return takeOver.apply(this, given);
    });
    const second = await counters.leader();
    expect(await second.waitFor(first.position, 5_000)).toBe(true);
    expect(await numbers(second)).toEqual(IDS.map(id => [id, 1]));
    const later = await counters.add(['a'], second);
    expect(await second.waitFor(later, 100)).toBe(false);
    takes();
    expect(await second.waitFor(later, 5_000)).toBe(true);
    expect((await numbers(second))[0]).toEqual(['a', 2]);
  });

  it('a replica that ends leaves a long write to its successor after the documents in progress', async () => {
    const leader = await counters.leader();
    await add(leader, ...IDS);
    const sums = await collection(await serving(leader));
    const write = sums.write.bind(sums);
    let ended: Promise<void> | undefined;
    jest.spyOn(sums, 'write').mockImplementation(async writes => {
      ended ??= Promise.resolve().then(() => leader.close());
      return write(writes);
    });
    const more = Array.from({ length: 1_000 }, (_, at) => `x${at}`);
    await counters.add(more, leader);
    await eventually(() => ended !== undefined, 'the write has begun');
    await ended;
    expect(await sums.count({})).toBeLessThan(IDS.length + more.length);
    const second = await counters.leader();
    expect(await second.waitFor(await store.head(), 5_000)).toBe(true);
    expect(await sums.count({})).toBe(IDS.length + more.length);
  });

  it('retries a checkpoint that cannot be read, and leaves no partial write when it loses the leadership', async () => {
    const projection = await collection('projection');
    jest.spyOn(projection, 'get').mockRejectedValueOnce(new Error('away'));
    const projector = await counters.leader();
    await add(projector, 'a');
    expect(counters.errors.splice(0).map(String)).toEqual(['Error: away']);
    const sums = await collection(await serving(projector));
    jest.spyOn(sums, 'write').mockImplementationOnce(async () => projector.follow());
    await counters.add(['a'], projector);
    await projector.close();
    const second = await counters.leader();
    expect(await second.waitFor(await store.head(), 2_000)).toBe(true);
    expect(await numbers(second)).toEqual([['a', 2]]);
  });

  it('builds a read model again when the late write of a former leader replaced its catalog entry', async () => {
    const leader = await counters.leader();
    await add(leader, ...IDS);
    const catalog = new ModelCatalog(await collection('projection'), counters.log.identity);
    await catalog.change('sums', await catalog.load('sums'), { serving: null });
    await leader.verify();
    const follower = await counters.replica();
    expect(await follower.waitFor(await store.head(), 2_000)).toBe(true);
    expect(await numbers(follower)).toEqual(IDS.map(id => [id, 1]));
  });
});

describe('read models that were removed', () => {
  it('the next leader writes removed read models again, also when the previous one continued to write', async () => {
    const first = await counters.leader();
    await add(first, ...IDS);
    await wipe(first);
    await add(first, 'c');
    await first.close();
    const second = await counters.leader();
    expect(await second.waitFor(await store.head(), 2_000)).toBe(true);
    expect(await numbers(second)).toEqual([
      ['a', 1],
      ['b', 1],
      ['c', 2],
    ]);
  });

  it('removed read models are written to a new collection, which late writes to the removed one do not reach', async () => {
    const projector = await counters.leader();
    await add(projector, ...IDS);
    const wiped = await serving(projector);
    await wipe(projector);
    await projector.verify();
    expect(await projector.waitFor(await store.head(), 2_000)).toBe(true);
    await counters.documents.drop(wiped);
    expect(await numbers(projector)).toEqual(IDS.map(id => [id, 1]));
  });

  it('the leader drops a collection that the late write of a former leader created again after all documents were removed', async () => {
    const projector = await counters.leader();
    await add(projector, ...IDS);
    await (await collection('sums@1')).write([{ replace: { _id: 'a', n: 1 } }]);
    await projector.verify();
    expect(await (await collection('sums@1')).count({})).toBe(0);
    expect(await numbers(projector)).toEqual(IDS.map(id => [id, 1]));
  });

  it.each<[string, (document: StoredDocument) => boolean]>([
    ['before the last document of the build is written', ({ _id }) => _id === 'c'],
    ['before the catalog entry is written that completes the build', ({ serving }) => Boolean(serving)],
  ])('a build starts from scratch when all documents are removed %s', async (_, isDue) => {
    counters = new Counters(store, counters.documents, 'sums', { buildStep: 1 });
    await counters.add(IDS);
    const wiped = wipeBefore(isDue);
    const projector = await counters.leader();
    expect(await projector.waitFor(await store.head(), 5_000)).toBe(true);
    expect(await wiped).toContain('projection');
    expect(await numbers(projector)).toEqual(IDS.map(id => [id, 1]));
    expect(counters.errors.splice(0).map(String)).toEqual([expect.stringContaining('documents were lost')]);
  });

  it('the current leader writes removed read models again, with the same documents', async () => {
    const projector = await counters.leader();
    await add(projector, ...IDS);
    const before = await counters.list(projector);
    await projector.verify();
    await wipe(projector);
    await projector.verify();
    expect(await projector.waitFor(await store.head(), 2_000)).toBe(true);
    expect(await counters.list(projector)).toEqual(before);
  });
});
