import type { EventStore } from './event-store.port.js';
import type { EventStoreDbAdapter, EventStoreDbOptions } from './eventstoredb/eventstoredb.event-store.js';
import type { EventStoreServer, EventStoreServerOptions } from './server/event-store.server.js';

/** EventStoreDB, or what speaks its protocol. Its client is loaded by the first call: the embedded product starts without it. */
export async function connectEventStoreDb(options: EventStoreDbOptions): Promise<EventStoreDbAdapter> {
  const adapter = await import('./eventstoredb/eventstoredb.event-store.js');
  return adapter.connectEventStoreDb(options);
}

/** Serves a store over EventStoreDB's gRPC protocol, on 127.0.0.1 unless said otherwise; loaded by the first call as well. */
export async function serveEventStore(
  store: EventStore,
  options: EventStoreServerOptions = {},
): Promise<EventStoreServer> {
  const server = await import('./server/event-store.server.js');
  return server.serveEventStore(store, options);
}
