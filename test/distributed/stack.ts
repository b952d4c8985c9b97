import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  freePort,
  namedEventStore,
  recordServer,
  startFerret,
  startNats,
  type MongoServer,
  type NatsServer,
} from '@stave/testing';
import { ManagedProcess } from './managed-process.js';
import { ProcessFactory, type Servers } from './process-factory.js';
import { RestClient } from './rest-client.js';
import {
  ServerMissingError,
  type ConductorChoice,
  type DistributedOptions,
  type ServiceProcessName,
} from './stack.options.js';

export * from './stack.options.js';
export { ManagedProcess, type ProcessEnd } from './managed-process.js';
export { RestClient, type RestAnswer } from './rest-client.js';

/** The product in separate processes, and the servers that they share. */
export interface DistributedStack {
  readonly url: string;
  /** URLs of all gateways; the first one is `url`. */
  readonly urls: readonly string[];
  readonly adminKey: string;
  readonly adminKeyFile: string;
  readonly rest: RestClient;
  /** All processes by name: `event-store`, `fake-cloud`, services (`cluster-service`, `cluster-service-2`), conductors by id. */
  readonly processes: ReadonlyMap<string, ManagedProcess>;
  /** Throws when no process has this name. */
  process(name: string): ManagedProcess;
  readonly nats: NatsServer;
  /** The database of the read models; undefined when each service keeps them in memory. */
  readonly mongo?: MongoServer;
  /** Prefix of the names of this stack's databases in `mongo`. */
  readonly mongoPrefix?: string;
  readonly eventStoreUrl: string;
  /** The prefix of its streams there; empty unless EVENTSTORE_URL names the event store. */
  readonly streamPrefix: string;
  readonly fakeCloudUrl: string;
  /** Path of the fake cloud's journal for `readJournal`. */
  readonly journalPath: string;
  /** Starts one more conductor and waits until it is registered. */
  addConductor(conductor: ConductorChoice): Promise<ManagedProcess>;
  /** Stops everything in the reverse order of the start and waits until all processes have ended. */
  close(): Promise<void>;
}

type StatefulService = Exclude<ServiceProcessName, 'api-gateway'>;

/**
 * Starts everything and resolves when requests are answered and all conductors are registered. Rejects with
 * ServerMissingError when NATS or, with `mongo`, a server of its protocol is not available; no process runs then.
 */
export async function startDistributed(options: DistributedOptions): Promise<DistributedStack> {
  const parts = new StackParts();
  try {
    return await start(options, parts);
  } catch (error) {
    await parts.close();
    throw error;
  }
}

async function start(options: DistributedOptions, parts: StackParts): Promise<DistributedStack> {
  const { dataDir } = options;
  checkReplicas(options);
  await mkdir(dataDir, { recursive: true });
  const factory = new ProcessFactory(options);
  const nats = parts.own(await startNats());
  const mongo = options.mongo ? parts.own(await startFerret()) : undefined;
  const at = await startStores(options, factory, parts, nats, mongo);
  await startServices(options, factory, parts, at);
  const gateways = await gatewaysOf(options, factory, at);
  await parts.run(gateways.map(gateway => gateway.process));
  const urls = gateways.map(gateway => gateway.url);
  const url = urls[0] ?? '';
  const adminKey = (await readFile(factory.adminKeyFile, 'utf8')).trim();
  const rest = new RestClient(url, adminKey);
  await parts.run(await Promise.all(options.conductors.map(conductor => factory.conductor(conductor, at, rest))));
  return {
    url,
    urls,
    adminKey,
    adminKeyFile: factory.adminKeyFile,
    rest,
    processes: parts.processes,
    process: name => parts.process(name),
    nats,
    ...(mongo && { mongo }),
    ...(at.mongo && { mongoPrefix: at.mongo.prefix }),
    eventStoreUrl: at.eventStoreUrl,
    streamPrefix: at.streamPrefix,
    fakeCloudUrl: at.fakeCloudUrl,
    journalPath: join(dataDir, 'fake-cloud', 'journal.jsonl'),
    addConductor: async choice => {
      const child = await factory.conductor(choice, at, rest);
      await parts.run([child]);
      return child;
    },
    close: () => parts.close(),
  };
}

/** Starts the fake cloud and, unless the options name one, the event store. */
async function startStores(
  options: DistributedOptions,
  factory: ProcessFactory,
  parts: StackParts,
  nats: NatsServer,
  mongo: MongoServer | undefined,
): Promise<Servers> {
  const ports = { eventStore: await freePort(), fakeCloud: await freePort() };
  const named = options.eventStoreUrl ?? namedEventStore();
  recordServer('event store', eventStoreOf(options));
  if (mongo === undefined) recordServer('document store', 'in each process');
  await parts.run([
    factory.fakeCloud(ports.fakeCloud),
    ...(named === undefined ? [factory.eventStore(ports.eventStore)] : []),
  ]);
  return {
    natsUrl: nats.url,
    eventStoreUrl: named ?? `esdb://127.0.0.1:${ports.eventStore}?tls=false`,
    streamPrefix: named !== undefined && options.eventStoreUrl === undefined ? prefixOf(options.dataDir) : '',
    fakeCloudUrl: `http://127.0.0.1:${ports.fakeCloud}`,
    ...(mongo && { mongo: { url: mongo.url, prefix: `stave-${randomBytes(6).toString('hex')}` } }),
  };
}

function eventStoreOf({ eventStoreUrl }: DistributedOptions): string {
  if (eventStoreUrl !== undefined) return "EventStoreDB's protocol, served by the suite";
  return namedEventStore() === undefined ? "EventStoreDB's protocol, its own process" : 'EVENTSTORE_URL';
}

/** The prefix of the streams of a data directory, so that runs share a server and a restart finds its streams again. */
const prefixOf = (dataDir: string): string => `run${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}.`;

async function startServices(
  options: DistributedOptions,
  factory: ProcessFactory,
  parts: StackParts,
  at: Servers,
): Promise<void> {
  const services = (service: StatefulService): Promise<readonly ManagedProcess[]> =>
    Promise.all(names(options, service).map(name => factory.service(name, service, at)));
  // the first cluster-service creates the installation and its key, which all other processes use
  const clusterServices = await services('cluster-service');
  await parts.run(clusterServices.slice(0, 1));
  await parts.run([
    ...clusterServices.slice(1),
    ...(await services('nodegroup-service')),
    ...(await services('container-scheduler')),
  ]);
}

/** The servers and processes that were started, to be stopped in reverse order. */
class StackParts {
  readonly processes = new Map<string, ManagedProcess>();
  private readonly closing: (() => Promise<unknown>)[] = [];

  /** Returns the server and stops it on `close`. Throws ServerMissingError when it is not available. */
  own<S extends { stop(): Promise<void> }>(server: S | { readonly skipped: string }): S {
    if ('skipped' in server) throw new ServerMissingError(server.skipped);
    this.closing.push(() => server.stop());
    return server;
  }

  /** Starts processes concurrently. When all have started or failed, throws if one failed. */
  async run(children: readonly ManagedProcess[]): Promise<void> {
    for (const child of children) {
      if (this.processes.has(child.name)) throw new Error(`two processes are named ${child.name}`);
      this.processes.set(child.name, child);
    }
    this.closing.push(() => Promise.all(children.map(child => child.stop())));
    const started = await Promise.allSettled(children.map(child => child.start()));
    for (const outcome of started) if (outcome.status === 'rejected') throw outcome.reason;
  }

  process(name: string): ManagedProcess {
    const found = this.processes.get(name);
    if (!found) throw new Error(`there is no process ${name}`);
    return found;
  }

  async close(): Promise<void> {
    for (const step of this.closing.splice(0).reverse()) await step();
  }
}

function names({ replicas = {} }: DistributedOptions, service: ServiceProcessName) {
  return Array.from({ length: replicas[service] ?? 1 }, (_, i) => (i === 0 ? service : `${service}-${i + 1}`));
}

async function gatewaysOf(options: DistributedOptions, factory: ProcessFactory, at: Servers) {
  const { host = '127.0.0.1' } = options;
  const made: { readonly url: string; readonly process: ManagedProcess }[] = [];
  for (const name of names(options, 'api-gateway')) {
    const port = made.length === 0 && options.port ? options.port : await freePort();
    made.push({ url: `http://${host}:${port}`, process: factory.gateway(name, host, port, at) });
  }
  return made;
}

/** Throws when a service has several replicas and read models in memory, which only its elected replica fills. */
function checkReplicas({ replicas = {}, mongo }: DistributedOptions): void {
  const several = Object.entries(replicas).filter(([service, count]) => service !== 'api-gateway' && count > 1);
  if (several.length > 0 && !mongo)
    throw new Error('several replicas of a service need a shared document store (mongo)');
}
