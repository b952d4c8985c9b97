import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectEventStoreDb, EmbeddedEventStore, type EventStore, type RecordedEvent } from '@stave/platform';
import { freePort, recordServer, repositoryRoot } from '@stave/testing';
import { inheritedEnvironment } from '../../distributed/distributed.config.js';
import { ManagedProcess, startDistributed } from '../../distributed/stack.js';

/** A running product whose processes can be killed, and whose log can be read. */
export interface WrittenProduct {
  readonly url: string;
  readonly adminKey: string;
  /** The names of the processes that may be killed. */
  readonly victims: readonly string[];
  process(name: string): ManagedProcess;
  /** Ends the processes in an orderly way and starts them again. */
  restart(): Promise<void>;
  /** Stops what must be stopped, and returns all events of the log. */
  readLog(): Promise<readonly RecordedEvent[]>;
  close(): Promise<void>;
}

const PAGE = 5_000;
const SERVICES = ['cluster-service', 'nodegroup-service', 'container-scheduler', 'api-gateway'];

/** Starts the product in one process on the embedded log. */
export async function startInOneProcess(): Promise<WrittenProduct> {
  const dataDir = await mkdtemp(join(tmpdir(), 'stave-fault-writes-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  recordServer('event store', 'embedded');
  const product = new ManagedProcess('stave', {
    entry: join(repositoryRoot(), 'apps/all-in-one/dist/main.js'),
    env: { ...inheritedEnvironment(), DATA_DIR: dataDir, PORT: String(port), DRIVERS_ENABLED: 'fake' },
    cwd: dataDir,
    logFile: join(dataDir, 'stave.log'),
    ready: async () => (await fetch(`${url}/readyz`)).ok,
  });
  await product.start();
  return {
    url,
    adminKey: (await readFile(join(dataDir, 'admin.key'), 'utf8')).trim(),
    victims: [product.name],
    process: () => product,
    restart: () => product.restart(),
    readLog: async () => {
      await product.stop();
      return allEvents(await EmbeddedEventStore.open({ directory: join(dataDir, 'event-store') }));
    },
    close: async () => {
      await product.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Starts the product as separate processes; a server that EVENTSTORE_URL names is not among the victims. */
export async function startInSeparateProcesses(): Promise<WrittenProduct> {
  const dataDir = await mkdtemp(join(tmpdir(), 'stave-fault-writes-'));
  const stack = await startDistributed({
    dataDir,
    conductors: [{ id: 'one', group: '' }],
    env: { REQUEST_TIMEOUT_MS: '3000' },
  });
  const { url, adminKey, eventStoreUrl: connectionString, streamPrefix } = stack;
  const store = stack.processes.has('event-store') ? ['event-store'] : [];
  return {
    url,
    adminKey,
    victims: [...store, ...SERVICES],
    process: name => stack.process(name),
    restart: async () => {
      for (const name of [...SERVICES].reverse()) await stack.process(name).stop();
      for (const name of store) await stack.process(name).restart();
      await Promise.all(SERVICES.map(name => stack.process(name).start()));
    },
    readLog: async () => allEvents(await connectEventStoreDb({ connectionString, streamPrefix })),
    close: async () => {
      await stack.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function allEvents(store: EventStore): Promise<readonly RecordedEvent[]> {
  try {
    const events: RecordedEvent[] = [];
    for (let after = -1; ;) {
      const page = await store.readAll({ after, limit: PAGE });
      events.push(...page);
      if (page.length < PAGE) return events;
      after = page.at(-1)?.position ?? after;
    }
  } finally {
    await store.close();
  }
}
