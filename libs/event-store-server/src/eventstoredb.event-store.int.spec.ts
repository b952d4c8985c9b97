import { env } from 'node:process';
import { EmbeddedEventStore, connectEventStoreDb } from '@stave/platform';
import { describeEventStoreContract } from '@stave/platform/testing';
import { serveEventStore } from './event-store.server.js';

const url = env['EVENTSTORE_URL'];

describeEventStoreContract('EventStoreDB client on the embedded store served', async () => {
  const embedded = await EmbeddedEventStore.open({ memory: true });
  const server = await serveEventStore(embedded);
  const store = await connectEventStoreDb({
    connectionString: `esdb://127.0.0.1:${server.port}?tls=false`,
    deadlineMs: 30_000,
  });
  const release = async () => {
    await store.close();
    await server.close();
    await embedded.close();
  };
  return { store, release };
});

if (url !== undefined) {
  describeEventStoreContract('EventStoreDB at EVENTSTORE_URL', async () => {
    const store = await connectEventStoreDb({ connectionString: url, deadlineMs: 30_000 });
    return { store, release: () => store.close() };
  });
}
