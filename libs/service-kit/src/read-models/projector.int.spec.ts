import { EmbeddedEventStore, MemoryDocumentStore } from '@stave/platform';
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

describe('Projector', () => {
  it('writes changed documents, also with two leaders; a follower waits for the checkpoint', async () => {
    const [leader, rival] = [await counters.leader(), await counters.leader()];
    const follower = await counters.replica();
    let position = -1;
    for (let i = 0; i < 20; i++) position = await counters.add([`x${i % 7}`], leader, rival);
    expect(await follower.waitFor(position, 5_000)).toBe(true);
    expect((await counters.list(follower)).map(({ n }) => n)).toEqual([3, 3, 3, 3, 3, 3, 2]);
    expect(await follower.waitFor(position + 1, 60)).toBe(false);
    // who lost a race for the catalog says so, and continues
    for (const error of counters.errors.splice(0)) expect(String(error)).toContain('another replica');
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
    const catalog = new ModelCatalog(await collection('projection'));
    await catalog.change('sums', await catalog.load('sums'), { serving: null });
    await leader.verify();
    const follower = await counters.replica();
    expect(await follower.waitFor(await store.head(), 2_000)).toBe(true);
    expect(await numbers(follower)).toEqual(IDS.map(id => [id, 1]));
  });
});

describe('read models that were removed', () => {
  it('are written again by the next leader, also when the previous one continued to write', async () => {
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

  it('are written to a collection of another name, which a late request for the removed one does not reach', async () => {
    const projector = await counters.leader();
    await add(projector, ...IDS);
    const wiped = await serving(projector);
    await wipe(projector);
    await projector.verify();
    expect(await projector.waitFor(await store.head(), 2_000)).toBe(true);
    await counters.documents.drop(wiped);
    expect(await numbers(projector)).toEqual(IDS.map(id => [id, 1]));
  });

  it('are written again by the current leader, with the same documents', async () => {
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
