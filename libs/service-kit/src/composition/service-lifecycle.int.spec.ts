import { NewerEventError } from '@stave/domain';
import {
  createLogger,
  EmbeddedEventStore,
  MemoryBroker,
  MemoryDocumentStore,
  MemoryMessaging,
  type EventStore,
} from '@stave/platform';
import { eventually } from '@stave/platform/testing';
import { Feed } from '../events/feed.js';
import { ReadModels } from '../read-models/read-models.js';
import { LeaderTasks } from '../reconcile/leader-tasks.js';
import { EndedStreams } from '../resources/ended-streams.js';
import { newEvents } from '../resources/new-events.js';
import { RingFollower } from '../ring/ring-follower.js';
import { ServiceSnapshots } from '../snapshots/service-snapshots.js';
import { ServiceLifecycle } from './service-lifecycle.js';

const service = 'cluster-service';
const log = createLogger('test', 'silent');

/** Documents that another process stores, as far as the replica knows. */
const stored = (): MemoryDocumentStore => Object.assign(new MemoryDocumentStore(), { isLocal: false });

function replica(store: EventStore, broker: MemoryBroker, onError: (error: unknown) => void, documentStore = stored()) {
  const feed = new Feed({ store, onError });
  feed.on('thing', () => undefined);
  const readModels = new ReadModels({ service: 'cluster-service', documentStore, log }, feed);
  readModels.add({ name: 'things', indexes: [], document: () => undefined, all: () => [] });
  const messaging = new MemoryMessaging(broker, { onError });
  const leaderTasks = new LeaderTasks({ service, messaging, log }, readModels, feed.newer);
  const snapshots = new ServiceSnapshots({ service, log }, feed, readModels);
  const ended = new EndedStreams({ log, messaging, service }, feed, readModels);
  const ring = new RingFollower(store, feed);
  const lifecycle = new ServiceLifecycle(feed, snapshots, ring, readModels, leaderTasks, ended);
  return {
    feed,
    readModels,
    start: () => lifecycle.onApplicationBootstrap(),
    stop: () => lifecycle.onApplicationShutdown(),
  };
}

async function happen(store: EventStore, stream: string): Promise<void> {
  const [event] = newEvents(stream, -1, [{ type: 'Made', data: {} }], { correlationId: 'c', actor: 'a' }, 't');
  if (event) await store.append(stream, [event], 'no_stream');
}

describe('ServiceLifecycle', () => {
  let store: EmbeddedEventStore;
  beforeEach(async () => {
    store = await EmbeddedEventStore.open({ memory: true });
  });
  afterEach(() => store.close());

  it('a service reports an event that a listener cannot handle', async () => {
    let fail: (error: unknown) => void = () => undefined;
    const failed = new Promise<unknown>(resolve => (fail = resolve));
    const one = replica(store, new MemoryBroker(), fail);
    one.feed.on('thing', () => {
      throw new Error('a bug');
    });
    await one.start();
    await happen(store, 'thing-1');
    await expect(failed).resolves.toEqual(new Error('a bug'));
    await one.stop();
  });

  it('a service does not answer from read models before they are built', async () => {
    const broker = new MemoryBroker();
    const fail = jest.fn();
    await happen(store, 'thing-1');
    const [first, second] = [replica(store, broker, fail), replica(store, broker, fail)];
    await first.start();
    expect(await first.readModels.includes(-1, 2_000)).toBe(true);
    await second.start();
    expect(await second.readModels.includes(-1, 100)).toBe(false);
    await first.stop();
    expect(await second.readModels.includes(-1, 5_000)).toBe(true);
    await happen(store, 'other-1');
    expect(await second.readModels.includes(await store.head(), 2_000)).toBe(true);
    await second.stop();
    expect(fail).not.toHaveBeenCalled();
  });

  it('a replica that joins answers from the shared documents at once, and waits for the writer only where a position is named', async () => {
    const broker = new MemoryBroker();
    const fail = jest.fn();
    await happen(store, 'thing-1');
    const documents = stored();
    const [first, second] = [0, 1].map(() => replica(store, broker, fail, documents));
    if (!first || !second) throw new Error('there are two replicas');
    await first.start();
    expect(await first.readModels.includes(await store.head(), 2_000)).toBe(true);
    await first.readModels.stop(); // it is busy with what was written before
    await happen(store, 'thing-2');
    await second.start();
    expect(await second.readModels.includes(-1, 5_000)).toBe(true);
    expect(await second.readModels.includes(await store.head(), 100)).toBe(false);
    await first.stop();
    expect(await second.readModels.includes(await store.head(), 5_000)).toBe(true);
    await second.stop();
    expect(fail).not.toHaveBeenCalled();
  });

  it('a follower writes and answers from documents that are its own, before and after it leads', async () => {
    const broker = new MemoryBroker();
    const fail = jest.fn();
    await happen(store, 'thing-1');
    const [first, second] = [0, 1].map(() => replica(store, broker, fail, new MemoryDocumentStore()));
    if (!first || !second) throw new Error('there are two replicas');
    await first.start();
    await second.start();
    await eventually(() => first.readModels.decides, 'the first leads');
    expect(await second.readModels.includes(-1, 5_000)).toBe(true);
    expect(second.readModels.decides).toBe(false);
    await happen(store, 'thing-2');
    expect(await second.readModels.includes(await store.head(), 5_000)).toBe(true);
    await first.stop();
    await eventually(() => second.readModels.decides, 'the second leads');
    expect(await second.readModels.includes(await store.head(), 5_000)).toBe(true);
    await second.stop();
    expect(fail).not.toHaveBeenCalled();
  });

  it('a leader that cannot read what a newer release wrote hands over, and does not lead again', async () => {
    const broker = new MemoryBroker();
    const fail = jest.fn();
    await happen(store, 'thing-1');
    const [first, second] = [replica(store, broker, fail), replica(store, broker, fail)];
    await first.start();
    await first.readModels.includes(-1, 5_000);
    await second.start();
    expect(await second.readModels.includes(-1, 100)).toBe(false);
    first.feed.newer.stop(new NewerEventError('Made', 2, 1));
    expect(await second.readModels.includes(-1, 5_000)).toBe(true);
    const third = replica(store, broker, fail);
    third.feed.newer.stop(new NewerEventError('Made', 2, 1));
    await third.start();
    await second.stop();
    const fourth = replica(store, broker, fail);
    await fourth.start();
    expect(await fourth.readModels.includes(-1, 5_000)).toBe(true);
    for (const one of [first, third, fourth]) await one.stop();
    expect(fail).not.toHaveBeenCalled();
  });
});
