import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { types } from 'node:util';
import { readSettings, startAllInOne } from '@stave/all-in-one';
import { StaveClient } from '@stave/testing';
import { foldsAfterStart } from './folds.fixture.js';

jest.setTimeout(240_000);

const flavor = { cpus: 1, memoryMb: 512 };
const worker = (name: string, count: number) => ({ name, role: 'worker', count, flavor });
const dataDirs: string[] = [];
afterEach(async () => {
  for (const dataDir of dataDirs.splice(0)) await rm(dataDir, { recursive: true, force: true });
});

interface Named {
  readonly id: string;
}

/** Creates a resource of each type that can be deleted, changes it in what others depend on, and deletes it. */
async function liveAndDie(api: StaveClient, round: number): Promise<void> {
  const made = async (path: string, body: object): Promise<string> =>
    (await api.succeed(api.post<Named>(`/v1/${path}`, body))).id;
  const gone = async (path: string, id: string): Promise<unknown> => api.succeed(api.delete(`/v1/${path}/${id}`));
  const nodeGroups = [{ ...worker('m', 1), role: 'manager' }, worker('a', 3)];
  const cluster = await made('clusters', { name: `c${round}`, driver: 'fake', nodeGroups });
  const extra = await made(`clusters/${cluster}/node-groups`, worker('b', 2));
  const profile = await made('container-profiles', { name: `p${round}`, image: 'i:1', hostCluster: cluster });
  const containers = [
    await made('containers', { name: `x${round}`, profile }),
    await made('containers', { name: `y${round}`, profile }),
  ];
  const { nodeId } = await api.read<{ readonly nodeId: string }>(`/v1/containers/${containers[0]}`);
  await api.succeed(api.post(`/v1/nodes/${nodeId}/actions/drain`));
  await api.succeed(api.patch(`/v1/clusters/${cluster}`, { labels: { round: String(round) } }));
  await api.succeed(api.post(`/v1/node-groups/${extra}/actions/resize`, { count: 1 }));
  await gone('node-groups', extra);
  for (const id of containers) await gone('containers', id);
  await gone('container-profiles', profile);
  await templatesLiveAndDie(made, gone, api, round);
  await setsLiveAndDie(made, gone, api, { cluster, round });
  await gone('api-keys', await made('api-keys', { project: 'default', role: 'member' }));
  await gone('clusters', cluster);
  await machinesLiveAndDie(made, gone, round);
  await projectsLiveAndDie(made, gone, api, round);
}

/** A machine with a node of a cluster on it, and one whose engine does not answer. */
async function machinesLiveAndDie(
  made: (path: string, body: object) => Promise<string>,
  gone: (path: string, id: string) => Promise<unknown>,
  round: number,
): Promise<void> {
  const labels = { pool: `round-${round}` };
  const machine = await made('machines', { name: `h${round}`, engine: { url: `fake://h${round}` }, labels });
  const nodeGroups = [{ ...worker('on', 1), machineSelector: labels }];
  await gone('clusters', await made('clusters', { name: `d${round}`, driver: 'fake', nodeGroups }));
  await gone('machines', machine);
}

/** A project with a quota, a member, a key, and a cluster that takes room in the quota. */
async function projectsLiveAndDie(
  made: (path: string, body: object) => Promise<string>,
  gone: (path: string, id: string) => Promise<unknown>,
  api: StaveClient,
  round: number,
): Promise<void> {
  const project = await made('projects', { name: `o${round}` });
  await api.succeed(api.put(`/v1/projects/${project}/quotas`, { limits: { clusters: 2, nodes: 9 } }));
  await api.succeed(api.put(`/v1/projects/${project}/members/ann`, { role: 'reader' }));
  const { key } = await api.succeed(
    api.post<{ readonly key: string } & Named>('/v1/api-keys', { project, role: 'member' }),
  );
  const member = api.as(key);
  const created = await member.succeed(
    member.post<Named>('/v1/clusters', { name: 'c', driver: 'fake', nodeGroups: [worker('a', 2)] }),
  );
  await member.succeed(member.delete(`/v1/clusters/${created.id}`));
  await gone('projects', project);
}

async function templatesLiveAndDie(
  made: (path: string, body: object) => Promise<string>,
  gone: (path: string, id: string) => Promise<unknown>,
  api: StaveClient,
  round: number,
): Promise<void> {
  const one = await made('cluster-templates', { name: `t${round}`, nodeGroups: [worker('a', 1), worker('b', 1)] });
  const two = await made('cluster-templates', { name: `u${round}` });
  const moved = await made('node-group-templates', { name: `f${round}`, role: 'worker', flavor });
  for (const clusterTemplateId of [one, two, null, one])
    await api.succeed(api.patch(`/v1/node-group-templates/${moved}`, { clusterTemplateId }));
  const [first] = await api.list<Named>(`/v1/node-group-templates?clusterTemplateId=${one}&sort=name`);
  await gone('node-group-templates', first?.id ?? '');
  for (const id of [one, two]) await gone('cluster-templates', id);
}

/** A set whose members use a network and volumes, one of them made for them, and policies at several levels. */
async function setsLiveAndDie(
  made: (path: string, body: object) => Promise<string>,
  gone: (path: string, id: string) => Promise<unknown>,
  api: StaveClient,
  { cluster, round }: { readonly cluster: string; readonly round: number },
): Promise<void> {
  const network = await made(`clusters/${cluster}/networks`, { name: `n${round}`, driver: 'overlay' });
  const volume = await made(`clusters/${cluster}/volumes`, { name: `v${round}`, accessMode: 'shared' });
  const profile = await made('container-profiles', {
    name: `q${round}`,
    image: 'i:1',
    hostCluster: cluster,
    resources: { cpus: 0.1, memoryMb: 32 },
    network: { name: `n${round}` },
    ports: [{ containerPort: 80, hostPort: 0 }],
    volumes: [
      { name: `v${round}`, mountPath: '/v' },
      { name: `w${round}`, mountPath: '/w', reclaimPolicy: 'delete' },
    ],
  });
  const set = await made('container-sets', { name: `s${round}`, profile, desired: 2 });
  const policy = await made('policies', {
    name: `l${round}`,
    type: 'placement',
    properties: { scorers: { spread: 2 } },
  });
  const targets = [`clusters/${cluster}`, `container-sets/${set}`];
  for (const target of targets) await api.succeed(api.put(`/v1/${target}/policies/${policy}`, { priority: 7 }));
  await api.succeed(api.patch(`/v1/container-sets/${set}`, { overrides: { image: 'i:2' } }));
  await api.succeed(api.post(`/v1/container-sets/${set}/actions/resize`, { count: 1 }));
  await api.succeed(api.patch(`/v1/networks/${network}`, { labels: { round: String(round) } }));
  for (const target of targets) await api.succeed(api.delete(`/v1/${target}/policies/${policy}`));
  await gone('policies', policy);
  await gone('container-sets', set);
  await gone('container-profiles', profile);
  await gone('networks', network);
  await gone('volumes', volume);
}

/** Returns the number of values in a saved state. */
function sizeOf(value: unknown): number {
  const sum = (values: Iterable<unknown>): number => Array.from(values, sizeOf).reduce((a, b) => a + b, 0);
  if (types.isMap(value)) return value.size + sum(value.values());
  if (types.isSet(value)) return value.size;
  if (Array.isArray(value)) return value.length + sum(value);
  return typeof value === 'object' && value !== null ? sum(Object.values(value)) : 0;
}

/** Returns the size of every field that the services keep after so many lives and deaths. */
async function keptAfter(rounds: number): Promise<ReadonlyMap<string, number>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'stave-forgotten-'));
  dataDirs.push(dataDir);
  const settings = readSettings({ PORT: '0', DATA_DIR: dataDir, DRIVERS_ENABLED: 'fake', LOG_LEVEL: 'error' });
  const stave = await startAllInOne(settings);
  const api = new StaveClient(stave.url, (await readFile(stave.adminKeyFile, 'utf8')).trim());
  for (let round = 0; round < rounds; round += 1) await liveAndDie(api, round);
  await stave.close();
  const folds = await foldsAfterStart(dataDir, '');
  return new Map(
    [...folds.values()].flatMap(({ fields }) => [...fields].map(([path, value]) => [path, sizeOf(value)])),
  );
}

/** What may grow: operations are listed for 30 days after their end; times of the log and deleted projects are kept up to a limit. */
const listed = /\/operations\/ended$|\/times\/all$|\/time-marks\/kept$|\/closed-projects\/deleted$/;

it('nothing is left in memory, and so in snapshots, of resources that were deleted, whatever their type', async () => {
  const [once, thrice] = [await keptAfter(1), await keptAfter(3)];
  expect(once.size).toBeGreaterThan(30);
  const grown = [...thrice].filter(([path, size]) => size !== once.get(path) && !listed.test(path));
  expect(grown.map(([path, size]) => `${path}: ${once.get(path)} after one round, ${size} after three`)).toEqual([]);
});
