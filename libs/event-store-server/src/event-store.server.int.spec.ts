import { randomUUID } from 'node:crypto';
import {
  BACKWARDS,
  binaryEvent,
  END,
  EventStoreDBClient,
  FORWARDS,
  jsonEvent,
  MaxAppendSizeExceededError,
  StreamNotFoundError,
  streamNameFilter,
  WrongExpectedVersionError,
  type AllStreamResolvedEvent,
  type StreamingRead,
  type ResolvedEvent,
} from '@eventstore/db-client';
import { EmbeddedEventStore } from '@stave/platform';
import { eventually, someEvents } from '@stave/platform/testing';
import { serveEventStore, type EventStoreServer } from './event-store.server.js';

const anEvent = (n = 0) => jsonEvent({ id: randomUUID(), type: 'Counted', data: { n }, metadata: { by: 'test' } });
const counting = (count: number) => Array.from({ length: count }, (_, n) => anEvent(n));

async function eventsOf(read: StreamingRead<ResolvedEvent> | StreamingRead<AllStreamResolvedEvent>) {
  const events = [];
  for await (const { event } of read) if (event) events.push(event);
  return events;
}

describe('event store server with the EventStoreDB client', () => {
  let store: EmbeddedEventStore;
  let server: EventStoreServer;
  let client: EventStoreDBClient;

  beforeAll(async () => {
    store = await EmbeddedEventStore.open({ memory: true });
    server = await serveEventStore(store);
    client = EventStoreDBClient.connectionString(`esdb://127.0.0.1:${server.port}?tls=false`);
  });

  afterAll(async () => {
    await client.dispose();
    await server.close();
    await store.close();
  });

  const aStream = () => `server${randomUUID().slice(0, 8)}-1`;

  it('stores a batch append that arrives in one message, and one that arrives in several messages', async () => {
    const stream = aStream();
    const first = await client.appendToStream(stream, counting(3), { expectedRevision: 'no_stream' });
    expect(first).toMatchObject({ success: true, nextExpectedRevision: 2n });
    const more = await client.appendToStream(stream, counting(40), { expectedRevision: 2n, batchAppendSize: 300 });
    const events = await store.readStream(stream);
    expect(events.map(event => event.revision)).toEqual(Array.from({ length: 43 }, (_, i) => i));
    expect(more.position?.commit).toBe(BigInt(events[42]?.position ?? -1));
    expect((await client.appendToStream(stream, [])).nextExpectedRevision).toBe(42n);
  });

  it.each([
    ['no_stream', 'no_stream', 1n],
    ['a past revision', 0n, 1n],
    ['a future revision', 7n, 1n],
  ] as const)(
    'answers an append that expects %s with the actual revision of the stream',
    async (_, expectedRevision, actualVersion) => {
      const stream = aStream();
      await client.appendToStream(stream, counting(2));
      const error = await client
        .appendToStream(stream, anEvent(), { expectedRevision })
        .catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(WrongExpectedVersionError);
      expect(error).toMatchObject({ streamName: stream, expectedVersion: expectedRevision, actualVersion });
    },
  );

  it('accepts an append that expects stream_exists when the stream exists, and refuses it otherwise', async () => {
    const stream = aStream();
    const exists = { expectedRevision: 'stream_exists' } as const;
    await expect(client.appendToStream(stream, anEvent(), exists)).rejects.toThrow(WrongExpectedVersionError);
    await client.appendToStream(stream, anEvent());
    expect((await client.appendToStream(stream, anEvent(), exists)).nextExpectedRevision).toBe(1n);
  });

  it('refuses an append of more than 1,048,576 bytes', async () => {
    const big = jsonEvent({ type: 'Big', data: { text: 'x'.repeat(1_100_000) } });
    await expect(client.appendToStream(aStream(), big)).rejects.toThrow(MaxAppendSizeExceededError);
  });

  it('answers the read of a missing stream with StreamNotFound', async () => {
    await expect(eventsOf(client.readStream(aStream()))).rejects.toThrow(StreamNotFoundError);
  });

  it('reads a stream of several pages in both directions, with the ids, types and times of its events', async () => {
    const stream = aStream();
    const events = someEvents(1300);
    await store.append(stream, events, 'no_stream');
    const forwards = await eventsOf(client.readStream(stream, { direction: FORWARDS }));
    expect(forwards.map(event => event.id)).toEqual(events.map(event => event.id));
    expect(forwards[0]).toMatchObject({ type: 'ThingCounted', isJson: true, streamId: stream, revision: 0n });
    expect(forwards[0]?.created).toEqual(new Date('2026-01-02T03:04:05.678Z'));
    const backwards = await eventsOf(client.readStream(stream, { direction: BACKWARDS, fromRevision: END }));
    expect(backwards.map(event => event.id)).toEqual(events.map(event => event.id).reverse());
  });

  it('reads all events backwards over several windows, without the event at the start position', async () => {
    await store.append(aStream(), someEvents(1500), 'no_stream');
    const all = await store.readAll({ limit: Infinity });
    const backwards = await eventsOf(client.readAll({ direction: BACKWARDS, fromPosition: END }));
    expect(backwards.map(event => event.id)).toEqual(all.map(event => event.id).reverse());
    const at = BigInt(all.length - 1);
    const fewer = await eventsOf(
      client.readAll({ direction: BACKWARDS, fromPosition: { commit: at, prepare: at }, maxCount: 2 }),
    );
    expect(fewer.map(event => event.id)).toEqual([all.at(-2)?.id, all.at(-3)?.id]);
  });

  it('delivers the events of one stream after a revision: stored events first, then live events', async () => {
    const stream = aStream();
    await store.append(stream, someEvents(3), 'no_stream');
    const seen: bigint[] = [];
    const subscription = client.subscribeToStream(stream, { fromRevision: 0n });
    subscription.on('data', ({ event }) => event && seen.push(event.revision));
    await eventually(() => seen.length === 2, 'two events');
    await store.append(stream, someEvents(2), 2);
    await store.append(`${stream}2`, someEvents(2), 'no_stream');
    await eventually(() => seen.length === 4, 'four events');
    await subscription.unsubscribe();
    expect(seen).toEqual([1n, 2n, 3n, 4n]);
  });

  it('sends the checkpoints of a filtered subscription up to the head of the log', async () => {
    const prefix = aStream();
    await store.append(`${prefix}a`, someEvents(5), 'no_stream');
    await store.append(aStream(), someEvents(100), 'no_stream');
    const checkpoints: bigint[] = [];
    const filter = streamNameFilter({
      prefixes: [prefix],
      checkpointReached: (_, at) => void checkpoints.push(at.commit),
    });
    const subscription = client.subscribeToAll({ filter });
    let caughtUp = false;
    subscription.on('caughtUp', () => (caughtUp = true)).on('data', () => undefined);
    await eventually(() => caughtUp, 'caught up');
    await subscription.unsubscribe();
    expect(checkpoints.at(-1)).toBe(BigInt(await store.head()));
  });

  it('applies backpressure to a slow subscriber and does not disconnect it', async () => {
    const stream = aStream();
    const subscription = client.subscribeToAll({ filter: streamNameFilter({ prefixes: [stream] }) });
    let caughtUp = false;
    let failed: unknown;
    const seen: bigint[] = [];
    subscription.on('caughtUp', () => (caughtUp = true)).on('error', error => (failed = error));
    subscription.on('data', ({ event }) => event && seen.push(event.revision));
    await eventually(() => caughtUp, 'caught up');
    subscription.pause();
    for (let n = 0; n < 10; n++) await store.append(stream, someEvents(100), 'any');
    subscription.resume();
    await eventually(() => seen.length === 1000, { what: 'all events', timeoutMs: 50_000 });
    expect(failed).toBeUndefined();
    await subscription.unsubscribe();
    expect(seen).toEqual(Array.from({ length: 1000 }, (_, i) => BigInt(i)));
  });

  it('answers clients that discover the leader by gossip', async () => {
    const address = { address: '127.0.0.1', port: server.port };
    const cluster = new EventStoreDBClient({ endpoints: [address] }, { insecure: true });
    const stream = aStream();
    await cluster.appendToStream(stream, anEvent());
    await cluster.dispose();
    expect(await store.readStream(stream)).toHaveLength(1);
  });

  it('refuses events that are not JSON', async () => {
    const stream = aStream();
    const binary = binaryEvent({ type: 'Binary', data: Buffer.from([1, 2, 3]) });
    await expect(client.appendToStream(stream, binary)).rejects.toThrow(/application\/json/);
    expect(await store.readStream(stream)).toEqual([]);
  });

  it('does not start when the port is in use', async () => {
    await expect(serveEventStore(store, { port: server.port })).rejects.toThrow(/is in use by another process/);
  });
});
