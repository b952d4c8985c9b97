export * from './document-store.port.js';
export * from './document-store.contract.js';
export * from './memory/memory-document-store.js';
export type { SnapshotRecord } from './memory/snapshot-file.js';
export { connectMongo } from './remote.js';
export type { MongoDocumentStore, MongoOptions } from './mongodb/mongo-document-store.js';
