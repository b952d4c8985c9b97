import { join } from 'node:path';
import { createLogger, EmbeddedEventStore, readEnvironment } from '@stave/platform';
import { serveEventStore } from '@stave/event-store-server';
import { runProcess } from '@stave/service-kit';
import { EventStoreServerEnvironment } from './event-store-server.config.js';

// `npm run event-store`: the embedded store over EventStoreDB's protocol
runProcess(process, async () => {
  const { HOST: host, PORT: port, DATA_DIR, ...live } = readEnvironment(EventStoreServerEnvironment, process.env);
  const liveBuffer = live.LIVE_BUFFER > 0 ? live.LIVE_BUFFER : Infinity;
  const log = createLogger('event-store', 'info');
  const store = await EmbeddedEventStore.open({
    directory: join(DATA_DIR, 'event-store'),
    log: (message, fields) => log.warn(fields, message),
  });
  const server = await serveEventStore(store, { host, port, liveBuffer, liveWindowMs: live.LIVE_WINDOW_MS });
  console.log(JSON.stringify({ msg: 'the event store is listening', url: `esdb://${host}:${server.port}?tls=false` }));
  return {
    log,
    stop: [
      ['requests in progress', () => server.close()],
      ['event store', () => store.close()],
    ],
  };
});
