import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DomainEvent, StreamDefinition } from '@stave/domain';
import {
  createLogger,
  DocumentStoreUnavailableError,
  EmbeddedEventStore,
  MemoryDocumentStore,
  MemoryMessaging,
} from '@stave/platform';
import { eventually } from '@stave/platform/testing';
import { Feed } from '../events/feed.js';
import { ReadModels } from '../read-models/read-models.js';
import { EndedStreams, retention } from '../resources/ended-streams.js';
import { documentOf, type ResourceType } from '../resources/resource-definition.js';
import { ResourceModel } from '../resources/resource-model.js';
import { ServiceSnapshots } from './service-snapshots.js';
import { SnapshotFile } from './snapshot-file.js';

interface Thing {
  readonly createdAt: string;
  readonly deleted: boolean;
}

const things: StreamDefinition<Thing> = {
  category: 'thing',
  initial: { createdAt: '', deleted: false },
  evolve: (s, { type }) => ({ ...s, deleted: type === 'Deleted' }),
};
const type = {
  model: (model: unknown) => model,
  fields: () => ({ id: '' }),
  readModel: { name: 'things', indexedSorts: [], indexedFilters: [] },
} as unknown as ResourceType<Thing, never>;
const context = { correlationId: 'c', actor: 'reconciler' };
const log = createLogger('test', 'silent');

let directory: string;
let store: EmbeddedEventStore;
const running: (() => Promise<void>)[] = [];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stave-stored-'));
  store = await EmbeddedEventStore.open({ memory: true });
});
afterEach(async () => {
  for (const stop of running.splice(0)) await stop();
  await store.close();
  await rm(directory, { recursive: true, force: true });
});

const sharedDocuments = (): MemoryDocumentStore => Object.assign(new MemoryDocumentStore(), { isLocal: false });

/** A backup of all documents, restored. */
async function copyOf(documents: MemoryDocumentStore): Promise<MemoryDocumentStore> {
  const copy = sharedDocuments();
  for (const name of await documents.names()) {
    const all = await (await documents.collection(name)).find({});
    await (await copy.collection(name)).write(all.map(replace => ({ replace })));
  }
  return copy;
}

/** A replica with a snapshot in the directory, whose documents another process stores. */
async function replica(documents: MemoryDocumentStore) {
  const snapshotFile = await SnapshotFile.open({
    file: join(directory, 'snapshot'),
    eventStore: store,
    code: 'v1',
    log,
  });
  const feed = new Feed({ store, onError: err => expect(err).toBeUndefined() });
  const readModels = new ReadModels({ service: 'cluster-service', documentStore: documents, log }, feed);
  const snapshots = new ServiceSnapshots({ service: 'cluster-service', log, snapshotFile }, feed, readModels);
  const ended = new EndedStreams(
    { log, messaging: new MemoryMessaging(), service: 'cluster-service' },
    feed,
    readModels,
  );
  const model = new ResourceModel<Thing, never>(things, store);
  snapshots.add('models', { folded: { model } });
  ended.add([retention(model as never)]);
  feed.on('thing', event => {
    model.apply(event);
    readModels.mark('things', event.stream.slice('thing-'.length));
  });
  readModels.add({
    name: 'things',
    indexes: [],
    document: id => documentOf(type, model as never, id),
    all: function* () {
      for (const [id, { position }] of model.all()) yield [id, position] as const;
    },
  });
  await readModels.open();
  const isRestored = await snapshots.restore();
  await feed.start();
  readModels.replayed();
  const stop = async (): Promise<void> => {
    await readModels.stop();
    await feed.close();
    await readModels.close();
  };
  running.push(stop);
  const shown = async (id: string): Promise<unknown> => (await readModels.collection('things').get(id))?.['deleted'];
  const isCurrent = async (): Promise<boolean> =>
    (await readModels.projector.shownUpTo()) >= feed.lastEvent && feed.lastEvent === (await store.head());
  const writes = (): Promise<unknown> => {
    readModels.start();
    return eventually(isCurrent);
  };
  return { feed, readModels, model, ended, snapshotFile, isRestored, shown, isCurrent, writes };
}

async function happens(id: string, event: string): Promise<void> {
  const events: readonly DomainEvent[] = [{ type: event, data: {} }];
  await new ResourceModel<Thing, never>(things, store).execute(id, () => ({ ok: true, events }), context);
}

describe('a snapshot beside documents that another process stores', () => {
  it('what no replica had written when the snapshot was saved is written by the replica that continues from it', async () => {
    const documents = sharedDocuments();
    const one = await replica(documents);
    await happens('x', 'Made');
    await one.writes();
    await one.readModels.stop();
    await happens('y', 'Made');
    await happens('x', 'Deleted');
    await one.feed.caughtUp();
    await one.snapshotFile.save();
    expect([await one.shown('x'), await one.shown('y')]).toEqual([false, undefined]);

    const next = await replica(documents);
    expect([next.isRestored, next.feed.eventCount]).toEqual([true, 0]);
    await next.writes();
    expect([await next.shown('x'), await next.shown('y')]).toEqual([true, false]);
  });

  it('the snapshot is discarded when the documents are older than what it has forgotten, so that nothing deleted is shown again', async () => {
    const documents = sharedDocuments();
    const one = await replica(documents);
    await happens('x', 'Made');
    await one.writes();
    const backup = await copyOf(documents);
    await happens('x', 'Deleted');
    await eventually(one.isCurrent);
    await one.ended.sweep();
    expect(one.model.size).toBe(0);
    await one.snapshotFile.save();

    const same = await replica(documents);
    expect([same.isRestored, same.model.size]).toEqual([true, 0]);
    const next = await replica(backup);
    expect([next.isRestored, next.feed.eventCount]).toEqual([false, 2]);
    await next.writes();
    expect(await next.shown('x')).toBe(true);
  });

  it('the snapshot is discarded while the documents are away: they may be older, and commands do not wait for them', async () => {
    const documents = sharedDocuments();
    const one = await replica(documents);
    await happens('x', 'Made');
    await one.writes();
    await one.snapshotFile.save();
    const ping = () => Promise.reject(new DocumentStoreUnavailableError('away'));
    const next = await replica(Object.assign(await copyOf(documents), { ping }));
    expect([next.isRestored, next.feed.eventCount, next.model.size]).toEqual([false, 1, 1]);
  });

  it('the snapshot of another replica serves as well, and replicas may write the same file at the same time', async () => {
    const documents = sharedDocuments();
    const [one, other] = [await replica(documents), await replica(documents)];
    for (let i = 0; i < 20; i += 1) await happens(`x${i}`, 'Made');
    for (const each of [one, other]) await each.feed.caughtUp();
    await Promise.all([one, other, one, other].map(each => each.snapshotFile.save()));
    const third = await replica(documents);
    expect([third.isRestored, third.feed.eventCount, third.model.size]).toEqual([true, 0, 20]);
  });
});
