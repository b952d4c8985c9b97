import { join } from 'node:path';
import { createGateway, identityUrls } from '@stave/api-gateway';
import {
  administratorKey,
  createClusterService,
  formerKeyHashes,
  type ClusterServiceOptions,
} from '@stave/cluster-service';
import type { Conductor } from '@stave/conductor';
import type { ServiceName } from '@stave/contracts';
import { createContainerScheduler } from '@stave/container-scheduler';
import { createNodeGroupService } from '@stave/nodegroup-service';
import {
  foldingCode,
  CommandLoad,
  NewerEvents,
  release,
  SnapshotFile,
  type HookOptions,
  type RunningService,
  type ServicePorts,
  type StopStep,
} from '@stave/service-kit';
import {
  createLogger,
  EmbeddedEventStore,
  judgeTransport,
  MemoryBroker,
  MemoryDocumentStore,
  MemoryMessaging,
  ObservedEventStore,
  openCertificate,
  type EventStore,
  type Logger,
  type ServedCertificate,
} from '@stave/platform';
import type { AllInOneSettings } from './all-in-one.config.js';
import { Conductors } from './conductors.js';
import { dockerAnswers } from './docker-probe.js';

/** All services in one process on embedded stores. */
export interface AllInOne {
  readonly url: string;
  readonly adminKeyFile: string;
  readonly drivers: readonly string[];
  readonly conductors: ReadonlyMap<string, Conductor>;
  /** Starts one more conductor of this group. */
  addConductor(id: string, group: string): Promise<Conductor>;
  /** What `close` does, one after the other. */
  readonly stopSteps: readonly StopStep[];
  /** Stops everything gracefully. Resolves when nothing runs any more. */
  close(): Promise<void>;
}

/** Starts all services and conductors. Resolves when requests are answered. `onFatal`: the process should exit. */
export async function startAllInOne(settings: AllInOneSettings, onFatal?: (error: unknown) => void): Promise<AllInOne> {
  const { dataDir, host, port, logLevel } = settings;
  const logOf = (service: string): Logger => createLogger(service, logLevel);
  const certificate = prepareTransport(settings, logOf('stave'));
  const { eventStore, snapshotFile } = await openStores(settings, logOf('stave'));
  const connect = inProcessMessaging(logOf('stave'));
  let startWork: () => void = () => undefined;
  const worksFrom = new Promise<void>(resolve => (startWork = resolve));
  const commandLoad = new CommandLoad();
  const newerEvents: NewerEvents[] = [];
  const ports = (service: ServiceName): ServicePorts => ({
    eventStore,
    documentStore: new MemoryDocumentStore(),
    messaging: connect(),
    log: logOf(service),
    ringUser: { release: release(), keyMode: 'group' },
    snapshotFile,
    operationsKeptMs: settings.operationsKeptMs,
    commandLoad,
    newerEvents: newerEventsOf(service, logOf(service), newerEvents),
    worksFrom,
    ...(onFatal && { onFatal }),
  });
  const adminKeyFile = join(dataDir, 'admin.key');
  const services = await startServices(ports, {
    administratorKey: await administratorKey(adminKeyFile),
    ...{ formerAdministratorKeys: await formerKeyHashes(adminKeyFile), hooks: settings.hooks },
  });
  snapshotFile.start();
  const drivers = await driversFor(settings);
  const conductors = new Conductors({
    settings,
    release: release(),
    drivers,
    log: logOf('conductor'),
    connect: () => connect(false), // drivers may modify their arguments
  });
  const eventsProblem = (): string | undefined => newerEvents.find(({ found }) => found)?.problem;
  // nothing could be done with them: no service accepts their registration, claims or reports
  if (eventsProblem() === undefined) await conductors.start();
  const gateway = await createGateway({
    ...{ messaging: connect(), eventStore, host, port, log: logOf('api-gateway'), ...settings.limits },
    ...{ ...settings.signIn, eventsProblem, ...(certificate && { certificate }) },
  });
  setImmediate(startWork);
  const stopSteps = stepsOf({ gateway, certificate, conductors, services, snapshotFile, eventStore });
  return {
    url: gateway.url,
    adminKeyFile,
    drivers,
    conductors: conductors.byId,
    addConductor: (id, group) => conductors.add(id, group),
    stopSteps,
    close: async () => {
      for (const [, stop] of stopSteps) await stop();
    },
  };
}

interface Closable {
  close(): Promise<void>;
}

/** Returns how the parts are stopped, in this order. */
function stepsOf(parts: {
  readonly gateway: Closable;
  readonly certificate: ServedCertificate | undefined;
  readonly conductors: Conductors;
  readonly services: readonly RunningService[];
  readonly snapshotFile: SnapshotFile;
  readonly eventStore: EventStore;
}): readonly StopStep[] {
  const { gateway, certificate, conductors, services, snapshotFile, eventStore } = parts;
  return [
    ['requests in progress', () => gateway.close().finally(() => certificate?.close())],
    ['tasks in progress', () => conductors.stop()],
    ...[...services].reverse().map((service): StopStep => ['services', () => service.close()]),
    ['snapshot', () => snapshotFile.close()],
    ['event store', () => eventStore.close()],
  ];
}

/** Throws BadEnvironmentError when TLS is required and a setting needs none, and for a certificate that cannot be used. */
function prepareTransport({ tls, signIn }: AllInOneSettings, log: Logger): ServedCertificate | undefined {
  judgeTransport({ certFile: tls.files?.certFile ?? '', urls: identityUrls(signIn) }, tls.required, log);
  return openCertificate(tls.files, log);
}

async function openStores(
  { dataDir, acceptLostEvents }: AllInOneSettings,
  log: Logger,
): Promise<{ readonly eventStore: EventStore; readonly snapshotFile: SnapshotFile }> {
  const directory = join(dataDir, 'event-store');
  const onMessage = (message: string, fields: object): void => log.warn(fields, message);
  const eventStore = new ObservedEventStore(await EmbeddedEventStore.open({ directory, log: onMessage }));
  const code = foldingCode(['cluster-service', 'nodegroup-service', 'container-scheduler']);
  try {
    const file = join(directory, 'snapshot');
    return { eventStore, snapshotFile: await SnapshotFile.open({ file, eventStore, code, log, acceptLostEvents }) };
  } catch (error) {
    await eventStore.close();
    throw error;
  }
}

/** Connects to the broker of the process. Without `byReference` a receiver gets a copy of each message. */
function inProcessMessaging(log: Logger): (byReference?: boolean) => MemoryMessaging {
  const broker = new MemoryBroker({ byReference: true });
  const onError = (err: unknown, subject: string): void => log.error({ err, subject }, 'a message handler failed');
  return (byReference = true) => new MemoryMessaging(broker, { onError, byReference });
}

/** Adds to the list what one service of the process does about events of newer releases. */
function newerEventsOf(service: ServiceName, log: Logger, all: NewerEvents[]): NewerEvents {
  const own = new NewerEvents({ service, log });
  all.push(own);
  return own;
}

/** Starts the services in parallel: they read the same log, and each event is decoded once. */
function startServices(
  ports: (service: ServiceName) => ServicePorts,
  { hooks, ...access }: ClusterServiceOptions & { readonly hooks: HookOptions },
): Promise<readonly RunningService[]> {
  return Promise.all([
    createClusterService(ports('cluster-service'), access),
    createNodeGroupService(ports('nodegroup-service'), hooks),
    createContainerScheduler(ports('container-scheduler'), hooks),
  ]);
}

async function driversFor(settings: AllInOneSettings): Promise<readonly string[]> {
  if (settings.driversEnabled.length > 0) return settings.driversEnabled;
  return (await dockerAnswers(settings.env)) ? ['fake', 'swarm_docker', 'k8s_docker'] : ['fake'];
}
