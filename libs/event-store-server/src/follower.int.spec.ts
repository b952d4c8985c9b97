import { connectEventStoreDb, EmbeddedEventStore, type EventStore } from '@stave/platform';
import { anEvent, someEvents } from '@stave/platform/testing';
import { serveEventStore, type EventStoreServer } from './event-store.server.js';
import { ServerFaults } from './server-faults.js';

/** Connected to a follower that has nothing of what its leader has stored. */
describe('EventStoreDB adapter on a follower that is behind its leader', () => {
  let logs: readonly EmbeddedEventStore[];
  let servers: readonly EventStoreServer[];
  let leading: EmbeddedEventStore;
  let store: EventStore;

  beforeEach(async () => {
    const behind = await EmbeddedEventStore.open({ memory: true });
    leading = await EmbeddedEventStore.open({ memory: true });
    logs = [behind, leading];
    const leader = await serveEventStore(leading);
    const faults = new ServerFaults();
    faults.leader = { host: '127.0.0.1', port: leader.port };
    const follower = await serveEventStore(behind, { faults });
    servers = [leader, follower];
    store = await connectEventStoreDb({
      connectionString: `esdb://127.0.0.1:${follower.port}?tls=false`,
      deadlineMs: 30_000,
    });
  });

  afterEach(async () => {
    await store.close();
    for (const server of servers) await server.close();
    for (const log of logs) await log.close();
  });

  it.each<[string, (position: number) => Promise<unknown>]>([
    ['the read of a stream', async () => expect(await store.readStream('s-1')).toHaveLength(2)],
    ['a page of all streams', async () => expect(await store.readAll({ limit: 5 })).toHaveLength(2)],
    ['the head', async position => expect(await store.head()).toBe(position)],
    ['an append', async () => expect((await store.append('s-1', [anEvent()], 1)).revision).toBe(2)],
  ])('%s is answered by the leader', async (_, call) => {
    const { position } = await leading.append('s-1', someEvents(2), 'no_stream');
    await call(position);
  });
});
