import type { MongoOptions } from './document-store/mongodb/mongo-document-store.js';
import type { DocumentStore } from './document-store/document-store.port.js';
import type { EventStore } from './event-store/event-store.port.js';
import type { AccessOptions, GrantedAccess } from './event-store/eventstoredb/access.js';
import type { EventStoreDbOptions } from './event-store/eventstoredb/eventstoredb.event-store.js';
import type { Messaging } from './messaging/messaging.port.js';
import type { NatsOptions } from './messaging/nats/nats-connection.js';
import type { JetStreamPublicationOptions } from './publication/jetstream.publication-log.js';
import type { PublicationLog } from './publication/publication-log.port.js';

// Each function loads its client on the first call, so the embedded product starts without the clients.

/** Creates a client of MongoDB, or of a server of its protocol, without waiting for it. */
export async function connectMongo(options: MongoOptions): Promise<DocumentStore> {
  return new (await import('./document-store/mongodb/mongo-document-store.js')).MongoDocumentStore(options);
}

/** Creates a client of EventStoreDB without waiting for it. Throws when the connection string is malformed. */
export async function connectEventStoreDb(options: EventStoreDbOptions): Promise<EventStore> {
  return new (await import('./event-store/eventstoredb/eventstoredb.event-store.js')).EventStoreDbAdapter(options);
}

/** Creates Stave's user on an EventStoreDB and grants it what Stave needs; see `access.ts`. */
export async function grantEventStoreAccess(options: AccessOptions): Promise<GrantedAccess> {
  return (await import('./event-store/eventstoredb/access.js')).grantEventStoreAccess(options);
}

/** Connects to NATS, waits for a server that is not up yet, and reconnects without a limit. */
export async function connectNats(options: NatsOptions): Promise<Messaging> {
  return (await import('./messaging/nats/nats-messaging.js')).NatsMessaging.connect(options);
}

/** Opens the published log on JetStream, and waits for the server without a limit. `tail` creates the stream. */
export async function openJetStream(options: JetStreamPublicationOptions): Promise<PublicationLog> {
  return (await import('./publication/jetstream.publication-log.js')).JetStreamPublicationLog.open(options);
}
