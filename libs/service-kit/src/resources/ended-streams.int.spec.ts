import type { DomainEvent, StreamDefinition } from '@stave/domain';
import { createLogger, EmbeddedEventStore, MemoryBroker, MemoryDocumentStore, MemoryMessaging } from '@stave/platform';
import { eventually } from '@stave/platform/testing';
import { Feed } from '../events/feed.js';
import { ReadModels } from '../read-models/read-models.js';
import { ReconcileQueue } from '../reconcile/reconcile-queue.js';
import { EndedStreams, retention } from './ended-streams.js';
import { documentOf, type ResourceType } from './resource-definition.js';
import { ResourceModel } from './resource-model.js';

interface Thing {
  readonly createdAt: string;
  readonly deleted: boolean;
}

const things: StreamDefinition<Thing> = {
  category: 'thing',
  initial: { createdAt: '', deleted: false },
  evolve: (s, { type }) => ({ ...s, deleted: type === 'Deleted' }),
};
const context = { correlationId: 'c', actor: 'reconciler' };
const log = createLogger('test', 'silent');
const happens = (type: string) => (): { ok: true; events: readonly DomainEvent[] } => ({
  ok: true,
  events: [{ type, data: {} }],
});

let store: EmbeddedEventStore;
let broker: MemoryBroker;
beforeEach(async () => {
  store = await EmbeddedEventStore.open({ memory: true });
  broker = new MemoryBroker();
});
afterEach(() => store.close());

/** A replica whose documents are shared with others, unless a store of its own is given. */
async function replica(documents: MemoryDocumentStore = Object.assign(new MemoryDocumentStore(), { isLocal: false })) {
  const messaging = new MemoryMessaging(broker);
  const feed = new Feed({ store, onError: () => undefined });
  const readModels = new ReadModels({ service: 'cluster-service', documentStore: documents, log }, feed);
  const model = new ResourceModel<Thing, never>(things, store);
  feed.on('thing', event => {
    model.apply(event);
    readModels.mark('things', event.stream.slice('thing-'.length));
  });
  const type = {
    model: () => model,
    fields: () => ({ id: '' }),
    readModel: { name: 'things', indexedSorts: [], indexedFilters: [] },
  } as unknown as ResourceType<Thing, never>;
  readModels.add({
    name: 'things',
    indexes: [],
    document: id => documentOf(type, undefined as never, id),
    all: function* () {
      for (const [id, { position }] of model.all()) yield [id, position] as const;
    },
  });
  const ended = new EndedStreams({ log, messaging, service: 'cluster-service' }, feed, readModels);
  const needed = new Set<string>();
  const beside = new Set<string>();
  ended.add([retention(model as never, { isDone: id => !needed.has(id), forget: id => void beside.delete(id) })]);
  await readModels.open();
  await feed.start();
  readModels.replayed();
  return { feed, readModels, model, ended, needed, beside, documents };
}

async function liveAndDie(id: string): Promise<void> {
  const writer = new ResourceModel<Thing, never>(things, store);
  await writer.execute(id, happens('Made'), context);
  await writer.execute(id, happens('Deleted'), context);
}

describe('streams that have ended', () => {
  it('leave memory when a read model shows it, nothing depends on them, and no queue has work for them', async () => {
    const one = await replica();
    const working: (() => void)[] = [];
    const queue = new ReconcileQueue({
      work: () => new Promise<void>(resolve => working.push(resolve)),
      concurrency: 1,
      onError: () => undefined,
    });
    one.ended.addQueue('thing', queue);
    queue.start();
    queue.mark('busy');
    one.needed.add('needed').add('busy');
    for (const id of ['free', 'needed', 'busy']) {
      one.beside.add(id);
      await liveAndDie(id);
    }
    await one.feed.caughtUp();
    await one.ended.sweep();
    expect([...one.model.ids()]).toEqual(['free', 'needed', 'busy']);

    one.readModels.start();
    await eventually(async () => (await one.readModels.projector.shownUpTo()) >= one.feed.lastEvent);
    await one.ended.sweep();
    expect([...one.model.ids()]).toEqual(['needed', 'busy']);
    expect([...one.beside]).toEqual(['needed', 'busy']);

    one.needed.clear();
    await one.ended.sweep();
    expect([...one.model.ids()]).toEqual(['busy']);
    await eventually(async () => {
      for (const done of working.splice(0)) done();
      await one.ended.sweep();
      return one.model.size === 0;
    });
    expect(one.beside.size).toBe(0);
    await queue.stop();
    await one.readModels.stop();
    await one.readModels.close();
    await one.feed.close();
  });

  it('stay in the memory of a replica until the leader has written the tombstone, so that no document is left behind', async () => {
    const leader = await replica();
    leader.readModels.start();
    const writer = new ResourceModel<Thing, never>(things, store);
    await writer.execute('x', happens('Made'), context);
    await eventually(async () => (await leader.readModels.projector.shownUpTo()) >= (await store.head()));
    const next = await replica(leader.documents);
    await leader.readModels.stop();
    await leader.feed.close();
    await writer.execute('x', happens('Deleted'), context);
    await eventually(() => Promise.resolve(next.model.get('x')?.deleted === true));
    await next.ended.sweep();
    expect([...next.model.ids()]).toEqual(['x']);

    next.readModels.start();
    await eventually(async () => (await next.readModels.projector.shownUpTo()) >= (await store.head()));
    await next.ended.sweep();
    expect([...next.model.ids()]).toEqual([]);
    const left = await next.readModels.collection('things').getMany(['x']);
    expect(left).toMatchObject([{ _id: 'x', deleted: true }]);
    for (const one of [leader, next]) await one.readModels.close();
    await next.feed.close();
  });

  it('leave a follower whose documents are its own when the leader says that they are settled, and not before', async () => {
    const [leader, follower] = [await replica(new MemoryDocumentStore()), await replica(new MemoryDocumentStore())];
    for (const { ended } of [leader, follower]) ended.start();
    leader.readModels.start();
    leader.needed.add('x');
    await liveAndDie('x');
    await liveAndDie('y');
    const shown = async ({ readModels }: typeof leader): Promise<boolean> =>
      (await readModels.projector.shownUpTo()) >= (await store.head());
    await eventually(async () => (await shown(leader)) && (await shown(follower)), 'both show what happened');
    await leader.ended.sweep();
    await follower.ended.sweep();
    expect([...leader.model.ids()]).toEqual(['x']);
    expect([...follower.model.ids()]).toEqual(['x', 'y']);
    leader.needed.clear();
    await eventually(async () => {
      for (const { ended } of [leader, follower]) await ended.sweep();
      return leader.model.size + follower.model.size === 0;
    }, 'both have forgotten');
    expect(await follower.readModels.collection('things').getMany(['x', 'y'])).toMatchObject([{ deleted: true }, {}]);
    for (const { ended, readModels, feed } of [leader, follower]) {
      await ended.stop();
      await readModels.stop();
      await feed.close();
      await readModels.close();
    }
  });

  it('leave memory during a replay, as far as a leader has settled them', async () => {
    const many = 5_000;
    for (let i = 0; i < many; i += 1) await liveAndDie(`t${i}`);
    const documents = Object.assign(new MemoryDocumentStore(), { isLocal: false });
    const before = await replica(documents);
    expect(before.model.size).toBe(many);
    await before.ended.sweep();
    expect(before.model.size).toBe(many);
    await before.readModels.projector.positions.put('settled', await store.head());
    const one = await replica(documents);
    expect(one.model.size).toBeLessThan(many);
    await one.ended.sweep();
    expect(one.model.size).toBe(0);
    await before.feed.close();
    await one.feed.close();
  });
});
