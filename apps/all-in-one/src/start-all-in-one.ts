import { basename, join } from 'node:path';
import { createGateway } from '@stave/api-gateway';
import { administratorKey, createClusterService } from '@stave/cluster-service';
import { createConductor, type Conductor } from '@stave/conductor';
import { createContainerScheduler } from '@stave/container-scheduler';
import { createNodeGroupService } from '@stave/nodegroup-service';
import { codeFingerprint, SnapshotFile, type ServicePorts } from '@stave/service-kit';
import {
  createLogger,
  EmbeddedEventStore,
  MemoryBroker,
  MemoryDocumentStore,
  MemoryMessaging,
  type Logger,
} from '@stave/platform';
import type { AllInOneSettings } from './all-in-one.config.js';
import { dockerAnswers } from './docker-probe.js';

/** All services in one process on embedded stores. */
export interface AllInOne {
  readonly url: string;
  readonly adminKeyFile: string;
  readonly drivers: readonly string[];
  readonly conductors: ReadonlyMap<string, Conductor>;
  /** Starts one more conductor of this group. */
  addConductor(id: string, group: string): Promise<Conductor>;
  /** Stops everything gracefully. Resolves when nothing runs any more. */
  close(): Promise<void>;
}

const RELEASE = '0.1.0';
/** The code that computes states from events. Snapshots of other code are not used. */
const snapshotCode = [
  'libs/domain',
  'libs/platform',
  'libs/service-kit',
  ...['cluster-service', 'nodegroup-service', 'container-scheduler'].map(app => `apps/${app}`),
].map(directory => join(__dirname, '..', '..', '..', directory, basename(__dirname)));

/** Starts all services. Resolves when requests are answered and every conductor was started. `onFatal`: the process should exit. */
export async function startAllInOne(settings: AllInOneSettings, onFatal?: (error: unknown) => void): Promise<AllInOne> {
  const { dataDir, host, port, logLevel } = settings;
  const logOf = (service: string): Logger => createLogger(service, logLevel);
  const eventStore = await EmbeddedEventStore.open({ directory: join(dataDir, 'event-store') });
  const snapshotFile = await SnapshotFile.open({
    file: join(dataDir, 'event-store', 'folded-states'),
    eventStore,
    code: codeFingerprint(snapshotCode),
    log: logOf('stave'),
  });
  let startWork: () => void = () => undefined;
  const worksFrom = new Promise<void>(resolve => (startWork = resolve));
  const broker = new MemoryBroker({ byReference: true });
  const onError = (err: unknown, subject: string): void =>
    logOf('stave').error({ err, subject }, 'a message handler failed');
  const ports = async (service: string): Promise<ServicePorts> => ({
    eventStore,
    documentStore: new MemoryDocumentStore(),
    messaging: new MemoryMessaging(broker, { onError }),
    log: logOf(service),
    ringUser: { release: RELEASE, keyMode: 'group' },
    snapshotFile,
    worksFrom,
    ...(onFatal && { onFatal }),
  });
  const adminKeyFile = join(dataDir, 'admin.key');
  const key = await administratorKey(adminKeyFile);
  // started in parallel: they read the same log, and each event is decoded once
  const services = await Promise.all([
    ports('cluster-service').then(p => createClusterService(p, { administratorKey: key })),
    ports('nodegroup-service').then(p => createNodeGroupService(p)),
    ports('container-scheduler').then(p => createContainerScheduler(p)),
  ]);
  snapshotFile.start();
  const drivers = await driversFor(settings);
  const conductors = new Map<string, Conductor>();
  const addConductor = async (id: string, group: string): Promise<Conductor> => {
    const conductor = await startConductor(settings, {
      id,
      group,
      drivers,
      log: logOf('conductor'),
      messaging: new MemoryMessaging(broker, { onError, byReference: false }), // drivers may modify their arguments
    });
    conductors.set(id, conductor);
    return conductor;
  };
  for (const group of settings.groups)
    await addConductor(group === '' ? 'conductor' : `conductor-${conductors.size}`, group);
  const gateway = await createGateway({
    messaging: new MemoryMessaging(broker, { onError }),
    eventStore,
    host,
    port,
    log: logOf('api-gateway'),
  });
  setImmediate(startWork);
  return {
    url: gateway.url,
    adminKeyFile,
    drivers,
    conductors,
    addConductor,
    close: async () => {
      await gateway.close();
      await Promise.all([...conductors.values()].map(c => c.stop()));
      for (const service of [...services].reverse()) await service.close();
      await snapshotFile
        .close()
        .catch((err: unknown) =>
          logOf('stave').warn({ err }, 'the snapshots were not saved; the next start reads the complete log'),
        );
      await eventStore.close();
    },
  };
}

async function driversFor(settings: AllInOneSettings): Promise<readonly string[]> {
  if (settings.driversEnabled.length > 0) return settings.driversEnabled;
  return (await dockerAnswers(settings.env)) ? ['fake', 'swarm_docker'] : ['fake'];
}

interface ConductorParts {
  readonly id: string;
  readonly group: string;
  readonly drivers: readonly string[];
  readonly log: Logger;
  readonly messaging: MemoryMessaging;
}

async function startConductor(
  settings: AllInOneSettings,
  { id, group, drivers, log, messaging }: ConductorParts,
): Promise<Conductor> {
  const conductor = await createConductor({
    id,
    group,
    weight: 1,
    keyMode: 'group',
    release: RELEASE,
    messaging,
    drivers: { directories: settings.driverDirectories, enabled: drivers },
    dataDir: settings.dataDir,
    env: settings.env,
    log,
  });
  await conductor.start();
  return conductor;
}
