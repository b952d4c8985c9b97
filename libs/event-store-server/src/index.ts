export { serveEventStore, type EventStoreServer } from './event-store.server.js';
