import { setImmediate } from 'node:timers/promises';
import { EmbeddedEventStore, EventStoreUnavailableError, connectEventStoreDb, type EventStore } from '@stave/platform';
import { Collector, FaultyProxy, anEvent, eventually, idsOf, someEvents } from '@stave/platform/testing';
import { serveEventStore, type EventStoreServer } from './event-store.server.js';

describe('EventStoreDB adapter over an unreliable connection', () => {
  let embedded: EmbeddedEventStore;
  let server: EventStoreServer;
  let proxy: FaultyProxy;
  let store: EventStore;

  beforeEach(async () => {
    embedded = await EmbeddedEventStore.open({ memory: true });
    server = await serveEventStore(embedded);
    proxy = await FaultyProxy.open(server.port);
    store = await connectEventStoreDb({
      connectionString: `esdb://127.0.0.1:${proxy.port}?tls=false`,
      deadlineMs: 500,
    });
  });

  afterEach(async () => {
    await store.close();
    await proxy.close();
    await server.close();
    await embedded.close();
  });

  it('delivers every event exactly once while the connection is cut repeatedly', async () => {
    await embedded.append('s-0', someEvents(1000), 'no_stream');
    const collector = new Collector();
    const filter = { streamPrefixes: ['s-'] };
    const subscription = store.subscribe(collector.options({ filter }));
    for (let round = 1; round <= 15; round++) {
      await collector.until(round === 1 ? 50 : collector.events.length + 1);
      proxy.cut();
      for (let n = 0; n < 20; n++) await embedded.append(`s-${n % 3}`, [anEvent(n)], 'any');
      await embedded.append('other-1', someEvents(40), 'any');
    }
    await collector.until(1300);
    const all = await embedded.readAll({ limit: 10_000, filter });
    expect(idsOf(collector.events)).toEqual(idsOf(all));
    expect(collector.errors).toEqual([]);
    expect(collector.caughtUp).toBeLessThanOrEqual(1);
    await subscription.close();
  });

  it('delivers events to a subscription that was opened before the server started, and after the server restarted', async () => {
    await server.close();
    const collector = new Collector();
    const subscription = store.subscribe(collector.options({}));
    await embedded.append('s-1', someEvents(3), 'no_stream');
    await expect(store.ping()).rejects.toThrow(EventStoreUnavailableError);
    server = await serveEventStore(embedded, { port: server.port });
    await collector.until(3);
    await server.close();
    await embedded.append('s-1', someEvents(2), 2);
    server = await serveEventStore(embedded, { port: server.port });
    await collector.until(5);
    expect(collector.events.map(event => event.revision)).toEqual([0, 1, 2, 3, 4]);
    await subscription.close();
  });

  it('rejects with EventStoreUnavailableError while no server listens and recovers when one does', async () => {
    await server.close();
    const event = anEvent();
    await expect(store.append('s-1', [event], 'no_stream')).rejects.toThrow(EventStoreUnavailableError);
    await expect(store.readStream('s-1')).rejects.toThrow(EventStoreUnavailableError);
    await expect(store.readAll({ limit: 1 })).rejects.toThrow(EventStoreUnavailableError);
    await expect(store.head()).rejects.toThrow(EventStoreUnavailableError);
    server = await serveEventStore(embedded, { port: server.port });
    let answered = false;
    const attempt = () => {
      store.append('s-1', [event], 'no_stream').then(
        () => (answered = true),
        error => (error instanceof EventStoreUnavailableError ? setTimeout(attempt, 20) : Promise.reject(error)),
      );
    };
    attempt();
    await eventually(() => answered, 'the append');
    expect(await store.readStream('s-1')).toHaveLength(1);
  });

  it('rejects within the deadline when the server does not answer', async () => {
    await store.ping();
    proxy.freeze();
    const start = Date.now();
    const calls = [store.append('s-1', [anEvent()], 'any'), store.readStream('s-1'), store.head(), store.ping()];
    const outcomes = await Promise.allSettled(calls);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'EventStoreUnavailableError' } });
    }
    expect(Date.now() - start).toBeLessThan(5_000);
  });

  it('stores the events of an append once when it is repeated because its answer was lost', async () => {
    const events = someEvents(2);
    await store.ping();
    const lost = store.append('s-1', events, 'no_stream').catch((error: unknown) => error);
    while ((await embedded.readStream('s-1')).length === 0) await setImmediate();
    proxy.cut();
    await lost;
    let result: unknown;
    while (result === undefined) {
      result = await store.append('s-1', events, 'no_stream').catch((error: unknown) => {
        if (!(error instanceof EventStoreUnavailableError)) throw error;
      });
    }
    expect(result).toEqual({ revision: 1, position: 1 });
    expect(await embedded.readStream('s-1')).toHaveLength(2);
  });
});
