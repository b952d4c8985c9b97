import { EmbeddedEventStore, MemoryDocumentStore } from '../index.js';
import { Projector } from './projector.js';
import { added, context, sum } from './service-kit.fixture.js';

let store: EmbeddedEventStore;
beforeEach(async () => {
  store = await EmbeddedEventStore.open({ memory: true });
});
afterEach(() => store.close());

describe('Projector', () => {
  it('writes what changed, the same after a rebuild; a follower waits for the checkpoint', async () => {
    const documents = await MemoryDocumentStore.open();
    const model = sum(store);
    const definition = {
      name: 'sums',
      indexes: [],
      document: (id: string) => ({ _id: id, n: model.get(id) ?? 0, position: model.entry(id)?.position ?? -1 }),
      all: function* () {
        for (const [id, e] of model.all()) yield [id, e.position] as const;
      },
    };
    const errors: unknown[] = [];
    const open = async (): Promise<Projector> => {
      const projector = new Projector(documents, [definition], e => errors.push(e));
      await projector.open();
      return projector;
    };
    const [leader, rival, follower] = [await open(), await open(), await open()];
    await Promise.all([leader.lead(), rival.lead()]);
    let position = -1;
    for (let i = 0; i < 20; i++) {
      position = (await model.execute(`x${i % 7}`, () => added(1), context)).position ?? position;
      for (const p of [leader, rival]) {
        p.mark('sums', `x${i % 7}`);
        p.advance(position);
      }
    }
    expect(await follower.waitFor(position, 2_000)).toBe(true);
    const before = await follower.collection('sums').find({}, { sort: [['_id', 1]] });
    expect(before.map(d => d['n'])).toEqual([3, 3, 3, 3, 3, 3, 2]);
    expect(await follower.waitFor(position + 1, 60)).toBe(false);
    await leader.rebuild();
    expect(await leader.waitFor(position, 2_000)).toBe(true);
    expect(await follower.collection('sums').find({}, { sort: [['_id', 1]] })).toEqual(before);
    expect(errors).toEqual([]);
    await Promise.all([leader, rival, follower].map(p => p.close()));
  });
});
