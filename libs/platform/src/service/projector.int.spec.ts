import { accept } from '@stave/domain';
import { EmbeddedEventStore, MemoryDocumentStore } from '../index.js';
import type { StoredDocument } from '../document-store/document-store.port.js';
import { Projector } from './projector.js';
import { ResourceModel } from './resource-model.js';

const IDS = ['a', 'b', 'c'];
let store: EmbeddedEventStore;
let documents: MemoryDocumentStore;
let model: ResourceModel<number>;
let errors: unknown[];
const open: Projector[] = [];

beforeEach(async () => {
  store = await EmbeddedEventStore.open({ memory: true });
  documents = await MemoryDocumentStore.open();
  model = new ResourceModel('sum', { initial: 0, evolve: state => state + 1 }, store);
  errors = [];
});
afterEach(async () => {
  await Promise.all(open.splice(0).map(projector => projector.close()));
  await store.close();
  expect(errors).toEqual([]);
});

async function leader(): Promise<Projector> {
  const definition = {
    name: 'sums',
    indexes: ['n'],
    document: (id: string) => ({ _id: id, n: model.get(id) ?? 0, position: model.entry(id)?.position ?? -1 }),
    all: function* () {
      for (const [id, { position }] of model.all()) yield [id, position] as const;
    },
  };
  const projector = new Projector(documents, [definition], error => errors.push(error));
  open.push(projector);
  await projector.open();
  projector.advance(await store.head());
  projector.lead();
  return projector;
}

async function add(projector: Projector, id: string): Promise<void> {
  await model.execute(id, () => accept({ type: 'Added', data: {} }), { correlationId: 'c' });
  projector.mark('sums', id);
  projector.advance(await store.head());
  expect(await projector.waitFor(await store.head(), 2_000)).toBe(true);
}

async function all(): Promise<readonly StoredDocument[]> {
  return (await documents.collection('sums')).find({}, { sort: [['_id', 1]] });
}

async function wipe(): Promise<void> {
  for (const name of ['sums', 'projection']) await (await documents.collection(name)).clear();
}

describe('read models that somebody wiped', () => {
  it('are written anew by the next leader, also when the one before wrote on', async () => {
    const first = await leader();
    for (const id of IDS) await add(first, id);
    await wipe();
    await add(first, 'c');
    expect((await all()).map(({ _id }) => _id)).toEqual(['c']);
    await first.close();
    const second = await leader();
    expect(await second.waitFor(await store.head(), 2_000)).toBe(true);
    expect((await all()).map(({ _id, n }) => [_id, n])).toEqual([
      ['a', 1],
      ['b', 1],
      ['c', 2],
    ]);
  });

  it('are written anew by the leader that looks after them', async () => {
    const projector = await leader();
    for (const id of IDS) await add(projector, id);
    const before = await all();
    await projector.verify();
    await wipe();
    await projector.verify();
    expect(await projector.waitFor(await store.head(), 2_000)).toBe(true);
    expect(await all()).toEqual(before);
  });

  it('are written by a leader that could not read its checkpoint at first, and not left half by one that leads no more', async () => {
    const projection = await documents.collection('projection');
    jest.spyOn(projection, 'getMany').mockRejectedValueOnce(new Error('away'));
    const projector = await leader();
    await add(projector, 'a');
    expect(errors.splice(0).map(String)).toEqual(['Error: away']);
    const sums = await documents.collection('sums');
    jest.spyOn(sums, 'write').mockImplementationOnce(async () => projector.follow());
    await model.execute('a', () => accept({ type: 'Added', data: {} }), { correlationId: 'c' });
    projector.mark('sums', 'a');
    projector.advance(await store.head());
    await projector.close();
    const second = await leader();
    expect(await second.waitFor(await store.head(), 2_000)).toBe(true);
    expect((await all()).map(({ n }) => n)).toEqual([2]);
  });

  it('are not written anew when nothing is missing', async () => {
    const first = await leader();
    for (const id of IDS) await add(first, id);
    await first.close();
    const sums = await documents.collection('sums');
    await sums.write([{ remove: 'a' }]);
    const second = await leader();
    await second.verify();
    expect(await second.waitFor(await store.head(), 2_000)).toBe(true);
    expect((await all()).map(({ _id }) => _id)).toEqual(['b', 'c']);
  });
});
