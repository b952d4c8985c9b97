import { join } from 'node:path';
import { EmbeddedEventStore } from '@stave/platform';
import { serveEventStore } from '@stave/event-store-server';
import { eventStoreConfig } from './event-store.config.js';

/** `npm run event-store`: the embedded store over EventStoreDB's protocol, in order to the end at SIGTERM or SIGINT. */
async function main(): Promise<void> {
  const { host, port, dataDir } = eventStoreConfig(process.env);
  const store = await EmbeddedEventStore.open({ directory: join(dataDir, 'event-store') });
  const server = await serveEventStore(store, { host, port });
  console.log(JSON.stringify({ msg: 'event store listens', url: `esdb://${host}:${server.port}?tls=false` }));
  const stop = async (): Promise<void> => {
    await server.close();
    await store.close();
  };
  let told = false;
  const handle = (): void => {
    if (told) process.exit(1);
    told = true;
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', handle);
  process.on('SIGINT', handle);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
