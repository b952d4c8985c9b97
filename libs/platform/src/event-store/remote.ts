import type { EventStoreDbAdapter, EventStoreDbOptions } from './eventstoredb/eventstoredb.event-store.js';

/** EventStoreDB, or what speaks its protocol. Its client is loaded by the first call: the embedded product starts without it. */
export async function connectEventStoreDb(options: EventStoreDbOptions): Promise<EventStoreDbAdapter> {
  const adapter = await import('./eventstoredb/eventstoredb.event-store.js');
  return adapter.connectEventStoreDb(options);
}
