import type { MongoDocumentStore, MongoOptions } from './mongodb/mongo-document-store.js';

/** MongoDB, or what speaks its protocol. Its driver is loaded by the first call: the embedded product starts without it. */
export async function connectMongo(options: MongoOptions): Promise<MongoDocumentStore> {
  const adapter = await import('./mongodb/mongo-document-store.js');
  return adapter.connectMongo(options);
}
