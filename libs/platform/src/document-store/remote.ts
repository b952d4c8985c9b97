import type { MongoDocumentStore, MongoOptions } from './mongodb/mongo-document-store.js';

/** Connects to MongoDB or a server of its protocol. The first call loads its driver, so the embedded product starts without it. */
export async function connectMongo(options: MongoOptions): Promise<MongoDocumentStore> {
  const adapter = await import('./mongodb/mongo-document-store.js');
  return adapter.connectMongo(options);
}
