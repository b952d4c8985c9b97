import type { EventStore } from '@stave/platform';
import type { EventStoreServer, EventStoreServerOptions } from './event-store.server.js';

export type { EventStoreServer, EventStoreServerOptions };

/**
 * Serves a store over EventStoreDB's gRPC protocol, on 127.0.0.1 unless the options name another host. The first call
 * loads gRPC, so a product without this server starts without it.
 */
export async function serveEventStore(
  store: EventStore,
  options: EventStoreServerOptions = {},
): Promise<EventStoreServer> {
  const server = await import('./event-store.server.js');
  return server.serveEventStore(store, options);
}
