import { EmbeddedEventStore } from '@stave/platform';
import { Names } from './names.js';
import { added, append, context, items } from './service-kit.fixture.js';

let store: EmbeddedEventStore;
beforeEach(async () => {
  store = await EmbeddedEventStore.open({ memory: true });
});
afterEach(() => store.close());

describe('Names', () => {
  const owner = (id: string) => ({ targetId: id, targetStream: `sum-${id}` });

  it('gives a name one owner, without regard to case, until it is released', async () => {
    const names = new Names(store);
    await append(store, 'sum-a');
    await append(store, 'sum-b');
    await names.reserve('s', 'Web', owner('a'), context);
    await names.reserve('s', 'web', owner('a'), context);
    await expect(names.reserve('s', 'wEB', owner('b'), context)).rejects.toMatchObject({
      error: { code: 'name-taken' },
    });
    await names.reserve('other', 'web', owner('b'), context);
    await names.release('s', 'web', 'b', context);
    expect((await names.owner('s', 'WEB'))?.targetId).toBe('a');
    await names.release('s', 'web', 'a', context);
    await names.reserve('s', 'web', owner('b'), context);
    expect((await names.owner('s', 'web'))?.targetId).toBe('b');
  });

  it('gives the name of an abandoned creation to the next request, and refuses that creation', async () => {
    const names = new Names(store);
    await names.reserve('s', 'web', owner('dead'), context);
    await names.reserve('s', 'web', owner('b'), context);
    await expect(items(store).create('dead', () => added(1), context)).rejects.toMatchObject({
      error: { code: 'creation-abandoned' },
    });
  });

  it('gives the name to one of two concurrent requests', async () => {
    await append(store, 'sum-a');
    await append(store, 'sum-b');
    const both = await Promise.allSettled(
      ['a', 'b'].map(id => new Names(store).reserve('s', 'web', owner(id), context)),
    );
    expect(both.map(r => r.status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('checks whether an existing target still holds the name, and distinguishes a later reservation of the same target', async () => {
    let holds = true;
    const names = new Names(store, () => Promise.resolve(holds));
    await append(store, 'sum-a');
    await append(store, 'sum-b');
    await names.reserve('s', 'web', { ...owner('a'), asOf: 1 }, context);
    await names.reserve('s', 'web', { ...owner('a'), asOf: 2 }, context);
    await names.release('s', 'web', { targetId: 'a', asOf: 1 }, context);
    expect(await names.owner('s', 'web')).toMatchObject({ targetId: 'a', asOf: 2 });
    await expect(names.reserve('s', 'web', owner('b'), context)).rejects.toMatchObject({
      error: { code: 'name-taken', errors: [{ pointer: '/name' }] },
    });
    holds = false;
    await names.reserve('s', 'web', owner('b'), context);
    expect((await names.owner('s', 'web'))?.targetId).toBe('b');
  });

  it('releases a name that its target reserves again while it is released', async () => {
    const names = new Names(store);
    await append(store, 'sum-a');
    await names.reserve('s', 'web', owner('a'), context);
    const readStream = store.readStream.bind(store);
    jest.spyOn(store, 'readStream').mockImplementationOnce(async (...args) => {
      const events = await readStream(...args);
      await names.reserve('s', 'web', { ...owner('a'), asOf: 1 }, context);
      return events;
    });
    await names.release('s', 'web', 'a', context);
    expect(await names.owner('s', 'web')).toBeUndefined();
  });
});
