import { join } from 'node:path';
import { EmbeddedEventStore } from '@stave/platform';
import { serveEventStore } from '@stave/event-store-server';
import { eventStoreConfig } from './event-store.config.js';

/** Runs `npm run event-store`: the embedded store over EventStoreDB's protocol. SIGTERM and SIGINT stop it gracefully. */
async function main(): Promise<void> {
  const { host, port, dataDir } = eventStoreConfig(process.env);
  const store = await EmbeddedEventStore.open({ directory: join(dataDir, 'event-store') });
  const server = await serveEventStore(store, { host, port });
  console.log(JSON.stringify({ msg: 'the event store is listening', url: `esdb://${host}:${server.port}?tls=false` }));
  const stop = async (): Promise<void> => {
    await server.close();
    await store.close();
  };
  let isStopping = false;
  const handle = (): void => {
    if (isStopping) process.exit(1);
    isStopping = true;
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
