import { join } from 'node:path';
import { EmbeddedEventStore, readEnvironment } from '@stave/platform';
import { serveEventStore } from '@stave/event-store-server';
import { EventStoreEnvironment } from './event-store.config.js';
import { runUntilSignal } from './run-until-signal.js';

// `npm run event-store`: the embedded store over EventStoreDB's protocol
runUntilSignal(async () => {
  const { HOST: host, PORT: port, DATA_DIR } = readEnvironment(EventStoreEnvironment, process.env);
  const store = await EmbeddedEventStore.open({ directory: join(DATA_DIR, 'event-store') });
  const server = await serveEventStore(store, { host, port });
  console.log(JSON.stringify({ msg: 'the event store is listening', url: `esdb://${host}:${server.port}?tls=false` }));
  return async () => {
    await server.close();
    await store.close();
  };
});
