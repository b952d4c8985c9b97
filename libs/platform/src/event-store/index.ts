export * from './event-store.port.js';
export { EmbeddedEventStore, type EmbeddedEventStoreOptions } from './embedded/embedded.event-store.js';
export { LogInUseError } from './embedded/file-lock.js';
export { CorruptLogError } from './embedded/recovery.js';
export { serveEventStore, type EventStoreServer, type EventStoreServerOptions } from './server/event-store.server.js';
export {
  connectEventStoreDb,
  EventStoreDbAdapter,
  type EventStoreDbOptions,
} from './eventstoredb/eventstoredb.event-store.js';
