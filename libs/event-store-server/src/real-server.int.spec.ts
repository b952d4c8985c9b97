import { EmbeddedEventStore, connectEventStoreDb, processMetrics, type EventStore } from '@stave/platform';
import { Collector, anEvent, eventually, idsOf, someEvents, withSparsePositions } from '@stave/platform/testing';
import { serveEventStore, type EventStoreServer } from './event-store.server.js';
import { ServerFaults, type ElectionAnswer } from './server-faults.js';

describe('EventStoreDB adapter on a server with the faults of a real one', () => {
  let embedded: EmbeddedEventStore;
  let server: EventStoreServer;
  let faults: ServerFaults;
  let store: EventStore;
  const release: (() => Promise<void>)[] = [];

  const connect = async (more: Partial<Parameters<typeof connectEventStoreDb>[0]> = {}): Promise<EventStore> => {
    const connected = await connectEventStoreDb({
      connectionString: `esdb://127.0.0.1:${server.port}?tls=false`,
      deadlineMs: 30_000,
      ...more,
    });
    release.push(() => connected.close());
    return connected;
  };

  beforeEach(async () => {
    embedded = await EmbeddedEventStore.open({ memory: true });
    faults = new ServerFaults();
    server = await serveEventStore(embedded, { faults, liveBuffer: 32 });
    release.push(
      () => embedded.close(),
      () => server.close(),
    );
    store = await connect();
  });

  afterEach(async () => {
    for (const close of release.splice(0).reverse()) await close();
  });

  describe('identical appends at once', () => {
    it('appends of one process share one request, so none is aborted', async () => {
      faults.identicalAppendsAbortMs = 50;
      const events = someEvents(2);
      const results = await Promise.all([1, 2, 3].map(() => store.append('s-1', events, 'no_stream')));
      expect(results).toEqual([results[0], results[0], results[0]]);
      expect(faults.aborted).toBe(0);
      expect(await embedded.readStream('s-1')).toHaveLength(2);
    });

    it.each([true, false])(
      'an append that the server aborts is repeated (BatchAppend: %s)',
      async offersBatchAppend => {
        faults.offersBatchAppend = offersBatchAppend;
        faults.identicalAppendsAbortMs = 200;
        const other = await connect();
        const events = someEvents(2);
        const results = await Promise.all([store, other].map(each => each.append('s-1', events, 'no_stream')));
        expect(results[1]).toEqual(results[0]);
        expect(faults.aborted).toBeGreaterThan(0);
        expect(await embedded.readStream('s-1')).toHaveLength(2);
      },
    );
  });

  describe('election of a leader', () => {
    it.each<[ElectionAnswer]>([['not-ready'], ['no-leader-info']])(
      'repeats appends and reads until there is a leader again, when nodes answer %s',
      async answer => {
        await store.append('s-1', [anEvent()], 'no_stream');
        faults.startElection(answer);
        const append = store.append('s-1', [anEvent(1)], 0);
        const second = store.append('s-2', [anEvent(2)], 'no_stream');
        const reads = [store.readStream('s-1'), store.readAll({ limit: 1 })];
        await eventually(() => faults.refused >= 6, 'refused calls');
        faults.endElection();
        expect((await append).revision).toBe(1);
        expect((await second).revision).toBe(0);
        for (const read of await Promise.all(reads)) expect(read.length).toBeGreaterThan(0);
      },
    );

    it('fails with EventStoreUnavailableError when there is no leader before the deadline', async () => {
      const hasty = await connect({ deadlineMs: 300 });
      faults.startElection('not-ready');
      await expect(hasty.append('s-1', [anEvent()], 'any')).rejects.toMatchObject({
        name: 'EventStoreUnavailableError',
        message: expect.stringContaining('Server Is Not Ready'),
      });
      await expect(hasty.head()).rejects.toMatchObject({ name: 'EventStoreUnavailableError' });
    });

    it('follows the address of the new leader for appends, reads and subscriptions', async () => {
      const leader = await serveEventStore(embedded);
      release.push(() => leader.close());
      const collector = new Collector();
      const subscription = store.subscribe(collector.options({}));
      await store.append('s-1', [anEvent()], 'no_stream');
      await collector.until(1);
      faults.startElection({ host: '127.0.0.1', port: leader.port });
      expect((await store.append('s-1', [anEvent()], 0)).revision).toBe(1);
      expect(await store.readStream('s-1')).toHaveLength(2);
      await collector.until(2);
      await subscription.close();
    });
  });

  describe('stream of appends', () => {
    it('sends 1,000 appends at once over one stream', async () => {
      const patient = await connect({ deadlineMs: 240_000 });
      await Promise.all(Array.from({ length: 1_000 }, (_, n) => patient.append(`s-${n % 50}`, [anEvent(n)], 'any')));
      expect(faults.batchStreams).toBe(1);
      expect(await embedded.head()).toBe(999);
    }, 300_000);

    it('repeats the appends without an answer when the stream breaks, and stores each once', async () => {
      const appends = Array.from({ length: 300 }, (_, n) => store.append(`s-${n}`, [anEvent(n)], 'no_stream'));
      await eventually(async () => (await embedded.head()) >= 0, 'the first append');
      faults.startElection('not-ready');
      faults.endElection();
      const results = await Promise.all(appends);
      expect(results.every(({ revision }) => revision === 0)).toBe(true);
      expect(await embedded.head()).toBe(299);
    });

    it('appends one by one on a server without BatchAppend', async () => {
      faults.offersBatchAppend = false;
      expect((await store.append('s-1', someEvents(2), 'no_stream')).revision).toBe(1);
      expect((await store.append('s-1', [anEvent()], 1)).revision).toBe(2);
      await expect(store.append('s-1', [anEvent()], 0)).rejects.toMatchObject({ name: 'WrongExpectedRevisionError' });
      expect(faults.batchStreams).toBe(0);
    });
  });

  describe('positions', () => {
    it('a page after a position that no event has is refused, and one after the position of an event is not', async () => {
      const own = await serveEventStore(withSparsePositions(embedded), { faults });
      release.push(() => own.close());
      faults.refusesUnknownPositions = true;
      const reader = await connect({ connectionString: `esdb://127.0.0.1:${own.port}?tls=false` });
      const { position } = await reader.append('s-1', someEvents(3), 'no_stream');
      await reader.append('s-2', [anEvent()], 'no_stream');
      await expect(reader.readAll({ after: position - 1, limit: 5 })).rejects.toMatchObject({
        name: 'UnknownPositionError',
        position: position - 1,
      });
      expect((await reader.readAll({ after: position, limit: 5 })).map(event => event.stream)).toEqual(['s-2']);
      expect(await reader.readAll({ after: position + 1_000_000, limit: 5 })).toEqual([]);
    });
  });

  describe('slow reader', () => {
    it('logs that the server ended the subscription, and resumes it without a gap', async () => {
      const logged: object[] = [];
      const note = (fields: object) => void logged.push(fields);
      const reader = await connect({ log: { info: note, warn: note, error: note } });
      const collector = new Collector();
      const subscription = reader.subscribe(collector.options({ filter: { streamPrefixes: ['s-'] } }));
      await eventually(() => collector.caughtUp === 1, 'caught up');
      const events = someEvents(200);
      await store.append('s-1', events, 'no_stream');
      await collector.until(200);
      await subscription.close();
      expect(idsOf(collector.events)).toEqual(idsOf(events));
      expect(logged).toContainEqual(
        expect.objectContaining({ reason: 'timeout', message: expect.stringContaining('Consumer too slow') }),
      );
      const shown = await processMetrics().text();
      expect(shown).toMatch(/^stave_event_store_subscription_ends_total\{reason="timeout"\} [1-9]/m);
    });
  });

  describe('installations that share a server', () => {
    it('see their own streams, events and head only', async () => {
      const [one, two] = [await connect({ streamPrefix: 'one.' }), await connect({ streamPrefix: 'two.' })];
      const collector = new Collector();
      const subscription = one.subscribe(collector.options({}));
      const first = await one.append('cluster-1', someEvents(2), 'no_stream');
      const second = await two.append('cluster-1', someEvents(3), 'no_stream');
      expect(second.revision).toBe(2);
      expect(await one.head()).toBe(first.position);
      expect(await two.head()).toBe(second.position);
      const page = await two.readAll({ limit: 10, filter: { streamPrefixes: ['cluster-'] } });
      expect(page.map(event => event.stream)).toEqual(['cluster-1', 'cluster-1', 'cluster-1']);
      expect(await one.readStream('cluster-1')).toHaveLength(2);
      await one.append('node-1', [anEvent()], 'no_stream');
      await collector.until(3);
      await subscription.close();
      expect(collector.events.map(event => event.stream)).toEqual(['cluster-1', 'cluster-1', 'node-1']);
      await expect(one.append('cluster-1', [anEvent()], 0)).rejects.toMatchObject({ stream: 'cluster-1', actual: 1 });
      expect(await embedded.readStream('two.cluster-1')).toHaveLength(3);
    });
  });
});
