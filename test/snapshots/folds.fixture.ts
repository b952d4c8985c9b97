import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { types } from 'node:util';
import { createClusterService } from '@stave/cluster-service';
import { createContainerScheduler } from '@stave/container-scheduler';
import { createNodeGroupService } from '@stave/nodegroup-service';
import { createLogger, EmbeddedEventStore, MemoryBroker, MemoryDocumentStore, MemoryMessaging } from '@stave/platform';
import { SnapshotFile, type FoldingService, type ServiceFolds, type ServicePorts } from '@stave/service-kit';
import { eventually } from '@stave/testing';

/** Returns the states of the services after a start with or without a snapshot, when they have forgotten what has ended. */
export async function foldsAfterStart(dataDir: string, file: string): Promise<ReadonlyMap<string, ServiceFolds>> {
  const eventStore = await EmbeddedEventStore.open({ directory: join(dataDir, 'event-store') });
  const log = createLogger('test', 'error');
  const code = file === '' ? 'none' : await codeIn(file);
  const states = await SnapshotFile.open({ file: file || join(dataDir, 'none'), eventStore, code, log });
  const services = new Map<string, FoldingService>();
  const taken: string[] = [];
  const take = states.take.bind(states);
  jest.spyOn(states, 'take').mockImplementation((name, service) => {
    services.set(name, service);
    const folds = take(name, service);
    if (folds) taken.push(name);
    return folds;
  });
  const broker = new MemoryBroker({ byReference: true });
  const ports = async (): Promise<ServicePorts> => ({
    ...{ eventStore, log, snapshotFile: states },
    documentStore: new MemoryDocumentStore(),
    messaging: new MemoryMessaging(broker),
  });
  const head = await eventStore.head();
  const running = [
    await createClusterService(await ports()),
    await createNodeGroupService(await ports()),
    await createContainerScheduler(await ports()),
  ];
  // a product that ended right after its last change may have left a reservation to be settled
  const appended = (await eventStore.readAll({ after: head, limit: 100 })).map(({ type }) => type);
  expect(appended.filter(type => type !== 'QuotaReservationsSettled')).toEqual([]);
  const capture = (): Map<string, ServiceFolds> =>
    new Map(
      [...services].flatMap(([name, service]) => {
        const folds = service.capture();
        return folds ? [[name, folds] as const] : [];
      }),
    );
  await eventually(() => Promise.resolve([...capture().values()].every(hasForgotten)), {
    timeoutMs: 60_000,
  });
  const folds = capture();
  for (const service of running) await service.close();
  await eventStore.close();
  expect(taken).toHaveLength(file === '' ? 0 : 3);
  return folds;
}

/** Whether no stream that has ended is in memory. */
const hasForgotten = ({ fields }: ServiceFolds): boolean =>
  [...fields].every(([path, value]) => !path.endsWith('/ended') || (types.isSet(value) ? value.size === 0 : true));

/** Returns the code fingerprint of the snapshot file. */
async function codeIn(file: string): Promise<string> {
  const [code] = /[0-9a-f]{64}/.exec((await readFile(file)).toString('latin1')) ?? [];
  return code ?? '';
}
