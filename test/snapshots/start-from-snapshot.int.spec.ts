import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { types } from 'node:util';
import { readSettings, startAllInOne } from '@stave/all-in-one';
import { eventually, StaveClient } from '@stave/testing';
import { foldsAfterStart } from './folds.fixture.js';

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
  await refusePlugin(api);
  await api.succeed(api.delete(`/v1/clusters/${gone.id}`));
  await eventually(async () => (await api.list<Named>('/v1/clusters?status=ACTIVE')).length === 2, {
    timeoutMs: 30_000,
  });
}

/** Creates a cluster whose only node turns out to lack the driver of a network. */
async function refusePlugin(api: StaveClient): Promise<void> {
  const nodeGroups = [{ ...group('a', 1), options: { missingPlugins: ['overlay'] } }];
  const { id } = await api.succeed(api.post<Named>('/v1/clusters', { name: 'lacking', driver: 'fake', nodeGroups }));
  const network = { name: 'wide', driver: 'overlay' };
  const profile = await api.post<Named>('/v1/container-profiles', {
    name: 'w',
    image: 'i:1',
    hostCluster: id,
    network,
  });
  await api.post('/v1/containers', { name: 'w', profile: profile.body.id });
  const isRefused = async () => {
    const { status, placement } = await api.read<Named & { readonly placement?: object }>('/v1/containers/w');
    return status === 'UNSCHEDULABLE' && JSON.stringify(placement).includes('NETWORK_DRIVER_MISSING');
  };
  await eventually(isRefused, { timeoutMs: 30_000, what: 'no node takes the container' });
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

/** What no event holds: a start from the log knows it from the document store, or not. Marks of the log are made after a start. */
const notFolded: ReadonlySet<string> = new Set(['cluster-service/key-uses/last', 'cluster-service/time-marks/kept']);

const text = (value: unknown): string => JSON.stringify(value);

it('a start from a snapshot has the same states as a start from the complete log', async () => {
  const settings = readSettings({ PORT: '0', DATA_DIR: dataDir, DRIVERS_ENABLED: 'fake', LOG_LEVEL: 'error' });
  const stave = await startAllInOne(settings);
  const key = (await readFile(stave.adminKeyFile, 'utf8')).trim();
  await createFleet(new StaveClient(stave.url, key));
  await stave.close();
  const resumed = await foldsAfterStart(dataDir, join(dataDir, 'event-store', 'snapshot'));
  const replayed = await foldsAfterStart(dataDir, '');
  expect([...resumed.keys()].sort()).toEqual(['cluster-service', 'container-scheduler', 'nodegroup-service']);
  for (const [name, folds] of replayed) {
    const other = resumed.get(name);
    expect(other?.last).toEqual(folds.last);
    for (const [path, value] of folds.fields)
      if (!notFolded.has(path)) expect([path, plain(other?.fields.get(path))]).toStrictEqual([path, plain(value)]);
    expect([...(other?.fields.keys() ?? [])]).toEqual([...folds.fields.keys()]);
    expect(folds.fields.size).toBeGreaterThan(10);
  }
  const ofPlugins = [...(resumed.get('container-scheduler')?.fields ?? [])].filter(([path]) =>
    /[/]refusedPlugins[/]/.test(path),
  );
  // what the node lacked, by node and with the time
  expect(ofPlugins.map(([, value]) => value)).toMatchObject([{ size: 1 }, { size: 1 }]);
  expect(text(ofPlugins.map(([, value]) => plain(value)))).toContain('overlay');
});
