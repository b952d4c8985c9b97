export * from './event-store.port.js';
export { EmbeddedEventStore, type EmbeddedEventStoreOptions } from './embedded/embedded.event-store.js';
export * from './stream-name.js';
export { LogInUseError } from './embedded/file-lock.js';
export { CorruptLogError } from './embedded/recovery.js';
export { connectEventStoreDb } from './remote.js';
export type { EventStoreDbAdapter, EventStoreDbOptions } from './eventstoredb/eventstoredb.event-store.js';
