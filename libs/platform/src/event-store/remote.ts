import type { EventStoreDbAdapter, EventStoreDbOptions } from './eventstoredb/eventstoredb.event-store.js';

/**
 * Connects to EventStoreDB or a server of its protocol. The first call loads its client, so the embedded product starts
 * without it.
 */
export async function connectEventStoreDb(options: EventStoreDbOptions): Promise<EventStoreDbAdapter> {
  const adapter = await import('./eventstoredb/eventstoredb.event-store.js');
  return adapter.connectEventStoreDb(options);
}
