import { connectEventStoreDb, EmbeddedEventStore, type EventStore } from '@stave/platform';
import { someEvents, withSparsePositions } from '@stave/platform/testing';
import { serveEventStore, type EventStoreServer } from './event-store.server.js';

const FOREIGN = 3_000;

describe('head of an installation on an EventStoreDB where others append much more', () => {
  let log: EmbeddedEventStore;
  let server: EventStoreServer;
  let own: EventStore;
  let examined = 0;

  /** Counts the events of the log that the server must examine to answer reads with a filter. */
  function counting(store: EventStore): EventStore {
    return {
      append: (...call) => store.append(...call),
      appendInOrder: appends => store.appendInOrder(appends),
      readStream: (...call) => store.readStream(...call),
      readAll: async options => {
        const found = await store.readAll(options);
        const until = found.length < options.limit ? await store.head() : (found.at(-1)?.position ?? 0);
        if (options.filter) examined += until - (options.after ?? -1);
        return found;
      },
      subscribe: options => store.subscribe(options),
      head: () => store.head(),
      ping: () => store.ping(),
      close: () => store.close(),
    };
  }

  beforeEach(async () => {
    examined = 0;
    log = await EmbeddedEventStore.open({ memory: true });
    server = await serveEventStore(counting(log));
    const connectionString = `esdb://127.0.0.1:${server.port}?tls=false`;
    own = await connectEventStoreDb({ connectionString, streamPrefix: 'own.', deadlineMs: 30_000 });
  });

  afterEach(async () => {
    await own.close();
    await server.close();
    await log.close();
  });

  const foreign = async (stream: string): Promise<void> => {
    for (let done = 0; done < FOREIGN; done += 500)
      await log.append(stream, someEvents(500), done === 0 ? 'no_stream' : done - 1);
  };

  it('is right after own and foreign events, and foreign events are examined by one call only', async () => {
    expect(await own.head()).toBe(-1);
    const { position } = await own.append('cluster-1', someEvents(2), 'no_stream');
    await foreign('other.cluster-1');
    expect(await own.head()).toBe(position);
    examined = 0;
    for (let call = 0; call < 5; call++) expect(await own.head()).toBe(position);
    await foreign('other.cluster-2');
    for (let call = 0; call < 5; call++) expect(await own.head()).toBe(position);
    expect(examined).toBeGreaterThanOrEqual(FOREIGN);
    expect(examined).toBeLessThan(2 * FOREIGN);
    const later = await own.append('cluster-1', someEvents(1), 1);
    await log.append('other.cluster-3', someEvents(20), 'no_stream');
    expect(await own.head()).toBe(later.position);
  });

  it('a probe examines no foreign events', async () => {
    await foreign('other.cluster-1');
    await own.ping();
    expect(examined).toBe(0);
  });

  it('is right while positions are sparse and own and foreign events alternate', async () => {
    const sparse = await serveEventStore(withSparsePositions(log));
    const connectionString = `esdb://127.0.0.1:${sparse.port}?tls=false`;
    const store = await connectEventStoreDb({ connectionString, streamPrefix: 'own.', deadlineMs: 30_000 });
    for (let round = 0; round < 10; round++) {
      const { position } = await store.append(`cluster-${round}`, someEvents(1 + (round % 4)), 'no_stream');
      await log.append(`other.cluster-${round}`, someEvents(1 + ((round * 3) % 8)), 'no_stream');
      expect(await store.head()).toBe(position);
    }
    await store.close();
    await sparse.close();
  });
});
