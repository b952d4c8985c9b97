import { setTimeout as pause } from 'node:timers/promises';
import {
  type DocumentStore,
  MemoryDocumentStore,
  connectMongo,
  EmbeddedEventStore,
  type EventStore,
  connectEventStoreDb,
  MemoryBroker,
  MemoryMessaging,
  type Messaging,
  connectNats,
  type Logger,
} from '@stave/platform';
import type { ServicePorts } from './ports.js';
import type { PortsSettings } from './service.environment.js';

const RETRY_MS = 250;

export interface OpenedPorts extends ServicePorts {
  /** Rejects where a server does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the adapters that the settings choose. Waits for NATS without limit, and for the event store up to `startupWaitMs`; then rejects. */
export async function openPorts(service: string, settings: PortsSettings, log: Logger): Promise<OpenedPorts> {
  const opened: { close(): Promise<void> }[] = [];
  const close = async (): Promise<void> => {
    for (const port of opened.splice(0).reverse()) await port.close();
  };
  const keep = <T extends { close(): Promise<void> }>(port: T): T => {
    opened.push(port);
    return port;
  };
  try {
    const eventStore = keep(await openEventStore(settings, log));
    const documentStore = keep(await openDocumentStore(service, settings));
    const messaging = keep(await openMessaging(service, settings, log));
    const ping = async (): Promise<void> => {
      await Promise.all([eventStore.ping(), documentStore.ping(), messaging.ping()]);
    };
    return { eventStore, documentStore, messaging, log, ping, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openEventStore({ eventStore: choice, startupWaitMs }: PortsSettings, log: Logger): Promise<EventStore> {
  if ('directory' in choice) return EmbeddedEventStore.open(choice);
  const store = await connectEventStoreDb({ connectionString: choice.url });
  const deadline = performance.now() + startupWaitMs;
  for (;;) {
    try {
      await store.ping();
      return store;
    } catch (error) {
      if (performance.now() >= deadline) {
        await store.close();
        throw error;
      }
      log.debug({ err: error }, 'waiting for the event store');
      await pause(RETRY_MS);
    }
  }
}

async function openDocumentStore(service: string, { mongo }: PortsSettings): Promise<DocumentStore> {
  if (mongo === undefined) return new MemoryDocumentStore();
  return connectMongo({ url: mongo.url, database: `${mongo.prefix}-${service}` });
}

async function openMessaging(service: string, { nats }: PortsSettings, log: Logger): Promise<Messaging> {
  const onError = (err: unknown, subject: string): void => log.warn({ err, subject }, 'a message handler failed');
  if (nats === undefined) return new MemoryMessaging(new MemoryBroker(), { onError });
  const onConnected = (connected: boolean): void => log.info({ connected }, 'connection to NATS');
  return connectNats({ ...nats, name: service, onError, onConnected });
}
