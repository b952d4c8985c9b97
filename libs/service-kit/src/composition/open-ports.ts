import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  neededOnNats,
  serviceInbox,
  servicePermissions,
  type MessagePermissions,
  type ServiceName,
  type ServiceUser,
} from '@stave/contracts';
import {
  connectEventStoreDb,
  connectMongo,
  connectNats,
  DocumentStoreUnavailableError,
  EventStoreRefusedError,
  MemoryDocumentStore,
  ObservedEventStore,
  observeMessaging,
  type DocumentStore,
  type EventStore,
  type Logger,
  type Messaging,
  type NatsSettings,
  type OptionalChecks,
} from '@stave/platform';
import { requireAnswer } from '../read-models/require-answer.js';
import { foldingCode } from '../snapshots/code-fingerprint.js';
import { SnapshotFile } from '../snapshots/snapshot-file.js';
import type { ServicePorts } from './ports.js';
import type { PortsSettings } from './service.environment.js';

const RETRY_MS = 250;
const OPTIONAL_PING_MS = 500;
/** Milliseconds for which a start waits for the document store, which must not refuse this process, and may be away. */
const DOCUMENTS_MS = 2_000;

interface OpenedPorts extends ServicePorts {
  /** Rejects where a server that commands need does not answer. Resolves to the state of those that only queries need. */
  ready(): Promise<OptionalChecks>;
  close(): Promise<void>;
}

/**
 * Opens the adapters. Waits for NATS without limit, and for the event store up to `startupWaitMs`; then rejects. Does not need the document store, and
 * rejects when it refuses this process. `close` saves the snapshot first, so the service must have ended.
 */
export async function openPorts(service: ServiceName, settings: PortsSettings, log: Logger): Promise<OpenedPorts> {
  const opened: { close(): Promise<void> }[] = [];
  const close = async (): Promise<void> => {
    for (const port of opened.splice(0).reverse()) await port.close();
  };
  const keep = <T extends { close(): Promise<void> }>(port: T): T => {
    opened.push(port);
    return port;
  };
  try {
    const eventStore = keep(new ObservedEventStore(await openEventStore(settings, log)));
    const documentStore = keep(await openDocumentStore(service, settings, log));
    const messaging = keep(await connectMessaging(service, { ...settings.nats, ...onNats(service) }, log));
    const ready = async (): Promise<OptionalChecks> => {
      const queries = stateOf(documentStore);
      await Promise.all([eventStore.ping(), messaging.ping()]);
      return { documentStore: await queries };
    };
    const { operationsKeptMs, dataDir } = settings;
    const ports = { eventStore, documentStore, messaging, log, operationsKeptMs, ready, close };
    if (dataDir === undefined) return ports;
    return { ...ports, snapshotFile: keep(await openSnapshot(service, dataDir, ports)) };
  } catch (error) {
    await close();
    throw error;
  }
}

/** What ended leaves memory sooner where another process stores the documents: its snapshots are not complete without them. */
async function openSnapshot(
  service: ServiceName,
  directory: string,
  { eventStore, documentStore, log }: ServicePorts,
): Promise<SnapshotFile> {
  const code = `${foldingCode([service])}${documentStore.isLocal ? '' : ' with stored documents'}`;
  try {
    return await SnapshotFile.open({ file: join(directory, `${service}.snapshot`), eventStore, code, log });
  } catch (cause) {
    throw new Error(`DATA_DIR cannot be used: ${String(cause)}`, { cause });
  }
}

function stateOf(store: DocumentStore): Promise<'ok' | 'down'> {
  return requireAnswer(store, OPTIONAL_PING_MS).then(
    () => 'ok',
    () => 'down',
  );
}

/** Ends the start at once when the store refuses this process: waiting does not help. */
async function openEventStore(settings: PortsSettings, log: Logger): Promise<EventStore> {
  const { eventStoreUrl: connectionString, streamPrefix, eventStoreFiles: files, startupWaitMs } = settings;
  const store = await connectEventStoreDb({ connectionString, streamPrefix, log, ...(files && { files }) });
  const deadline = performance.now() + startupWaitMs;
  for (;;) {
    try {
      await store.ping();
      return store;
    } catch (error) {
      if (performance.now() >= deadline || error instanceof EventStoreRefusedError) {
        await store.close();
        throw error;
      }
      log.warn({ err: error }, 'waiting for the event store');
      await pause(RETRY_MS);
    }
  }
}

async function openDocumentStore(service: string, { mongo }: PortsSettings, log: Logger): Promise<DocumentStore> {
  if (mongo === undefined) return new MemoryDocumentStore();
  const { prefix, ...server } = mongo;
  const store = await connectMongo({ ...server, database: `${prefix}-${service}`, log });
  try {
    await requireAnswer(store, DOCUMENTS_MS);
  } catch (err) {
    if (!(err instanceof DocumentStoreUnavailableError)) {
      await store.close();
      throw err;
    }
    log.warn({ err }, 'the document store is away: commands are taken, and queries are answered 503 until it is back');
  }
  return store;
}

/** Returns where a service receives answers, and what its user must be permitted. */
export const onNats = (service: ServiceUser) => ({
  inbox: serviceInbox(service),
  needs: neededOnNats(servicePermissions(service)),
});

/** Connects to NATS, and waits for it without limit. Logs errors of message handlers, changes of the connection, and refusals. */
export async function connectMessaging(
  name: string,
  nats: NatsSettings & { readonly inbox: string; readonly needs?: MessagePermissions },
  log: Logger,
  errorLevel: 'warn' | 'debug' = 'warn',
): Promise<Messaging> {
  const onError = (err: unknown, subject: string): void =>
    log[errorLevel]({ err, subject }, 'a message handler failed');
  const messaging = await connectNats({ ...nats, name, onError, log });
  observeMessaging(messaging);
  return messaging;
}
