import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { types } from 'node:util';
import { createClusterService } from '@stave/cluster-service';
import { createContainerScheduler } from '@stave/container-scheduler';
import { createNodeGroupService } from '@stave/nodegroup-service';
import { createLogger, EmbeddedEventStore, MemoryBroker, MemoryDocumentStore, MemoryMessaging } from '@stave/platform';
import { SnapshotFile, type FoldingService, type ServiceFolds, type ServicePorts } from '@stave/service-kit';
import { readSettings, startAllInOne } from '@stave/all-in-one';
import { eventually, StaveClient } from '@stave/testing';

jest.setTimeout(120_000);

const flavor = { cpus: 1, memoryMb: 512 };
const group = (name: string, count: number, role = 'worker') => ({ name, role, count, flavor });
let dataDir: string;
beforeEach(async () => void (dataDir = await mkdtemp(join(tmpdir(), 'stave-folded-start-'))));
afterEach(() => rm(dataDir, { recursive: true, force: true }));

interface Named {
  readonly id: string;
  readonly status?: string;
}

/** Creates a fleet with unchanged, changed, deleting and deleted resources. */
async function createFleet(api: StaveClient): Promise<void> {
  const cluster = (name: string, nodeGroups: readonly object[]) =>
    api.succeed(api.post<Named>('/v1/clusters', { name, driver: 'fake', nodeGroups }));
  const [kept, gone] = [await cluster('kept', [group('a', 3), group('b', 2)]), await cluster('gone', [group('a', 2)])];
  const profile = await api.post<Named>('/v1/container-profiles', { name: 'p', image: 'i:1', hostCluster: kept.id });
  for (const name of ['x', 'y', 'z']) await api.succeed(api.post('/v1/containers', { name, profile: profile.body.id }));
  const [first, second] = await api.list<Named>(`/v1/nodes?clusterId=${kept.id}&sort=name`);
  await api.post(`/v1/nodes/${first?.id}/actions/cordon`, {});
  await api.succeed(api.post(`/v1/nodes/${second?.id}/actions/drain`, {}));
  const [, b] = await api.list<Named>(`/v1/clusters/${kept.id}/node-groups?sort=name`);
  await api.succeed(api.post(`/v1/node-groups/${b?.id}/actions/resize`, { count: 1 }));
  await api.patch(`/v1/clusters/${kept.id}`, { labels: { tier: 'web' } });
  await api.post('/v1/cluster-templates', { name: 'ct', from: { cluster: kept.id } });
  await api.post('/v1/node-group-templates', { name: 'gt', attributes: { role: 'worker', flavor } });
  await api.post('/v1/projects', { name: 'team' });
  await api.succeed(api.delete(`/v1/clusters/${gone.id}`));
  await eventually(async () => (await api.list<Named>('/v1/clusters?status=ACTIVE')).length === 1, {
    timeoutMs: 30_000,
  });
}

/** Returns the states of the services right after a start with or without a snapshot. */
async function foldsAfterStart(file: string): Promise<ReadonlyMap<string, ServiceFolds>> {
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
  expect(await eventStore.head()).toBe(head);
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

/** Converts states to plain objects of this realm, so that they can be compared; a value that is no plain object gets its class name. */
function plain(value: unknown): unknown {
  const inOrder = (list: readonly unknown[]): unknown => list.map(plain).sort((a, b) => (text(a) < text(b) ? -1 : 1));
  if (types.isMap(value)) return { map: inOrder([...value]) };
  if (types.isSet(value)) return { set: inOrder([...value]) };
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, plain(member)] as const);
  return { of: value.constructor.name, members: members.sort(([a], [b]) => (a < b ? -1 : 1)) };
}

const text = (value: unknown): string => JSON.stringify(value);

it('a start from a snapshot has the same states as a start from the complete log', async () => {
  const settings = readSettings({ PORT: '0', DATA_DIR: dataDir, DRIVERS_ENABLED: 'fake', LOG_LEVEL: 'error' });
  const stave = await startAllInOne(settings);
  const key = (await readFile(stave.adminKeyFile, 'utf8')).trim();
  await createFleet(new StaveClient(stave.url, key));
  await stave.close();
  const resumed = await foldsAfterStart(join(dataDir, 'event-store', 'snapshot'));
  const replayed = await foldsAfterStart('');
  expect([...resumed.keys()].sort()).toEqual(['cluster-service', 'container-scheduler', 'nodegroup-service']);
  for (const [name, folds] of replayed) {
    const other = resumed.get(name);
    expect(other?.last).toEqual(folds.last);
    for (const [path, value] of folds.fields)
      expect([path, plain(other?.fields.get(path))]).toStrictEqual([path, plain(value)]);
    expect([...(other?.fields.keys() ?? [])]).toEqual([...folds.fields.keys()]);
    expect(folds.fields.size).toBeGreaterThan(10);
  }
});
