import { randomBytes } from 'node:crypto';
import { env } from 'node:process';
import { EmbeddedEventStore, connectEventStoreDb } from '@stave/platform';
import { describeEventStoreContract, withSparsePositions } from '@stave/platform/testing';
import { serveEventStore } from './event-store.server.js';
import { ServerFaults } from './server-faults.js';

const url = env['EVENTSTORE_URL'];

describeEventStoreContract('EventStoreDB adapter on a server whose positions are sparse', async () => {
  const embedded = await EmbeddedEventStore.open({ memory: true });
  const faults = new ServerFaults();
  faults.refusesUnknownPositions = true;
  const server = await serveEventStore(withSparsePositions(embedded), { liveBuffer: 32, faults });
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
    const streamPrefix = `run${randomBytes(8).toString('hex')}.`;
    const store = await connectEventStoreDb({ connectionString: url, streamPrefix, deadlineMs: 30_000 });
    return { store, release: () => store.close() };
  });
}
