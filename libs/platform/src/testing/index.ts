export { describeDocumentStoreContract } from '../document-store/document-store.contract.js';
export { anEvent, Collector, idsOf, someEvents } from '../event-store/contract/contract.fixture.js';
export { describeEventStoreContract } from '../event-store/event-store.contract.js';
export { describeMessagingContract } from '../messaging/messaging.contract.js';
export { eventually, type EventuallyOptions } from './eventually.js';
export { FaultyProxy } from './faulty-proxy.js';
export { seeded, testSeed } from './seeded.js';
export { TestAuthority, type TestCertificate } from './test-authority.js';
export { withSparsePositions } from './sparse-positions.js';
