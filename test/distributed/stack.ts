import { randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, startFerret, startNats, type MongoServer, type NatsServer } from '@stave/testing';
import { ManagedProcess } from './managed-process.js';
import { ProcessFactory, type Servers } from './process-factory.js';
import { RestClient } from './rest-client.js';
import { ServerMissingError, type ConductorChoice, type DistributedOptions } from './stack.options.js';

export * from './stack.options.js';
export { ManagedProcess, type ProcessEnd } from './managed-process.js';
export { RestClient, type RestAnswer } from './rest-client.js';

/** The product in processes of its own, and the servers that they share. */
export interface DistributedStack {
  readonly url: string;
  /** Of every gateway, the first one's first. */
  readonly urls: readonly string[];
  readonly adminKey: string;
  readonly adminKeyFile: string;
  readonly rest: RestClient;
  /** All processes of ours by name: `event-store`, `fake-cloud`, services (`cluster-service`, `cluster-service-2`), conductors by id. */
  readonly processes: ReadonlyMap<string, ManagedProcess>;
  /** Throws when there is none of this name. */
  process(name: string): ManagedProcess;
  readonly nats: NatsServer;
  /** Absent: each service keeps its read models in process. */
  readonly mongo?: MongoServer;
  /** Of the names of this stack's databases, where there is `mongo`. */
  readonly mongoPrefix?: string;
  readonly eventStoreUrl: string;
  readonly fakeCloudUrl: string;
  /** For `readJournal`. */
  readonly journalPath: string;
  /** Starts one more conductor and waits until it is registered. */
  addConductor(conductor: ConductorChoice): Promise<ManagedProcess>;
  /** Stops everything in order and waits until no process is left. */
  close(): Promise<void>;
}

/**
 * Starts everything and resolves when requests are answered and all conductors are registered. Rejects with
 * ServerMissingError where NATS (or, with `mongo`, a server of its protocol) cannot be had; nothing is left running then.
 */
export async function startDistributed(options: DistributedOptions): Promise<DistributedStack> {
  const closing: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const step of closing.splice(0).reverse()) await step();
  };
  try {
    return await start(options, closing, close);
  } catch (error) {
    await close();
    throw error;
  }
}

async function start(
  options: DistributedOptions,
  closing: (() => Promise<unknown>)[],
  close: () => Promise<void>,
): Promise<DistributedStack> {
  const { dataDir, host = '127.0.0.1' } = options;
  checkReplicas(options);
  await mkdir(dataDir, { recursive: true });
  const factory = new ProcessFactory(options);
  const processes = new Map<string, ManagedProcess>();
  const run = async (children: readonly ManagedProcess[]): Promise<void> => {
    for (const child of children) {
      if (processes.has(child.name)) throw new Error(`two processes are named ${child.name}`);
      processes.set(child.name, child);
    }
    closing.push(() => Promise.all(children.map(child => child.stop())));
    const started = await Promise.allSettled(children.map(child => child.start()));
    for (const outcome of started) if (outcome.status === 'rejected') throw outcome.reason;
  };

  const nats = owned(await startNats(), closing);
  const mongo = options.mongo ? owned(await startFerret(), closing) : undefined;
  const ports = { eventStore: await freePort(), fakeCloud: await freePort() };
  const at: Servers = {
    natsUrl: nats.url,
    eventStoreUrl: options.eventStoreUrl ?? `esdb://127.0.0.1:${ports.eventStore}?tls=false`,
    fakeCloudUrl: `http://127.0.0.1:${ports.fakeCloud}`,
    ...(mongo && { mongo: { url: mongo.url, prefix: `stave-${randomBytes(6).toString('hex')}` } }),
  };
  await run([
    factory.fakeCloud(ports.fakeCloud),
    ...(options.eventStoreUrl === undefined ? [factory.eventStore(ports.eventStore)] : []),
  ]);
  // the first cluster-service makes the installation, its key included; all others find them
  const clusterServices = await services('cluster-service');
  await run(clusterServices.slice(0, 1));
  await run([
    ...clusterServices.slice(1),
    ...(await services('nodegroup-service')),
    ...(await services('container-scheduler')),
  ]);
  const gateways = await gatewaysOf(options, factory, host, at);
  await run(gateways.map(gateway => gateway.process));
  const urls = gateways.map(gateway => gateway.url);
  const url = urls[0] ?? '';
  const adminKey = (await readFile(factory.adminKeyFile, 'utf8')).trim();
  const rest = new RestClient(url, adminKey);
  await run(options.conductors.map(conductor => factory.conductor(conductor, at, rest)));

  function services(service: 'cluster-service' | 'nodegroup-service' | 'container-scheduler') {
    return Promise.all(names(options, service).map(name => factory.service(name, service, at)));
  }
  return {
    url,
    urls,
    adminKey,
    adminKeyFile: factory.adminKeyFile,
    rest,
    processes,
    process: name => {
      const found = processes.get(name);
      if (!found) throw new Error(`there is no process ${name}`);
      return found;
    },
    nats,
    ...(mongo && { mongo }),
    ...(at.mongo && { mongoPrefix: at.mongo.prefix }),
    eventStoreUrl: at.eventStoreUrl,
    fakeCloudUrl: at.fakeCloudUrl,
    journalPath: join(dataDir, 'fake-cloud', 'journal.jsonl'),
    addConductor: async choice => {
      const child = factory.conductor(choice, at, rest);
      await run([child]);
      return child;
    },
    close,
  };
}

function owned<S extends { stop(): Promise<void> }>(
  server: S | { readonly skipped: string },
  closing: (() => Promise<unknown>)[],
): S {
  if ('skipped' in server) throw new ServerMissingError(server.skipped);
  closing.push(() => server.stop());
  return server;
}

function names({ replicas = {} }: DistributedOptions, service: keyof NonNullable<DistributedOptions['replicas']>) {
  return Array.from({ length: replicas[service] ?? 1 }, (_, i) => (i === 0 ? service : `${service}-${i + 1}`));
}

async function gatewaysOf(options: DistributedOptions, factory: ProcessFactory, host: string, at: Servers) {
  const made: { readonly url: string; readonly process: ManagedProcess }[] = [];
  for (const name of names(options, 'api-gateway')) {
    const port = made.length === 0 && options.port ? options.port : await freePort();
    made.push({ url: `http://${host}:${port}`, process: factory.gateway(name, host, port, at) });
  }
  return made;
}

/** Read models in process are filled on the elected replica only. */
function checkReplicas({ replicas = {}, mongo }: DistributedOptions): void {
  const several = Object.entries(replicas).filter(([service, count]) => service !== 'api-gateway' && count > 1);
  if (several.length > 0 && !mongo)
    throw new Error('several replicas of a service need a shared document store (mongo)');
}
