export * from './document-store.port.js';
export * from './memory/memory-document-store.js';
export { connectMongo } from './remote.js';
export type { MongoDocumentStore, MongoOptions } from './mongodb/mongo-document-store.js';
export { MemoryCollection } from './memory/memory-collection.js';
