export { serveEventStore, type EventStoreServer } from './event-store.server.js';
export { ServerUsers } from './server-users.js';
export { ServerFaults, type ElectionAnswer } from './server-faults.js';
