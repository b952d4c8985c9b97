export * from '../document-store/document-store.contract.js';
export * from '../event-store/contract/contract.fixture.js';
export * from '../event-store/event-store.contract.js';
export * from '../event-store/eventstoredb/faulty-proxy.js';
export * from '../messaging/contract-wait.js';
export * from '../messaging/messaging.contract.js';
export { eventually, type EventuallyOptions } from './eventually.js';
export { seeded, testSeed, withSeed } from './seeded.js';
