import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings, startAllInOne, type AllInOne } from '@stave/all-in-one';
import { EmbeddedEventStore, EventStoreUnavailableError } from '@stave/platform';
import { expectProblem, expectStatus, StaveClient } from '@stave/testing';

jest.setTimeout(120_000);

const flavor = { cpus: 2, memoryMb: 2_048 };
const container = { image: 'i:1', resources: { cpus: 0.1, memoryMb: 64 } };

const named = [
  'projects/acme',
  'clusters/SHOP',
  'clusters/shop/node-groups/workers',
  'node-groups/workers',
  'cluster-templates/base',
  'node-group-templates/small',
  'container-profiles/web',
  'containers/web-1',
  'container-sets/webs',
  'clusters/shop/networks/front',
  'networks/front',
  'clusters/shop/volumes/data',
  'volumes/data',
  'policies/spread',
];

let dataDir: string;
let stave: AllInOne;
let api: StaveClient;
/** Names no position in its reads. */
let reader: StaveClient;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'stave-reads-'));
  stave = await startAllInOne(
    readSettings({ PORT: '0', DATA_DIR: dataDir, DRIVERS_ENABLED: 'fake', LOG_LEVEL: 'error' }),
  );
  api = new StaveClient(stave.url, (await readFile(stave.adminKeyFile, 'utf8')).trim());
  reader = api.as(api.key);
  const make = async (path: string, body: object): Promise<unknown> => api.succeed(api.post(`/v1/${path}`, body));
  await make('projects', { name: 'acme' });
  const nodeGroups = [{ name: 'workers', role: 'worker', count: 1, flavor }];
  await make('clusters', { name: 'shop', driver: 'fake', nodeGroups });
  await make('cluster-templates', { name: 'base', driver: 'fake' });
  await make('node-group-templates', { name: 'small', role: 'worker', flavor });
  await make('container-profiles', { name: 'web', hostCluster: 'shop', ...container });
  await make('containers', { profile: 'web', name: 'web-1' });
  await make('container-sets', { profile: 'web', name: 'webs', desired: 0 });
  await make('clusters/shop/networks', { name: 'front' });
  await make('clusters/shop/volumes', { name: 'data' });
  await make('policies', { name: 'spread', type: 'placement', properties: { scorers: { spread: 2 } } });
  for (const path of named) await api.read(`/v1/${path}`);
});

afterAll(async () => {
  await stave.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** Resolves to what `read` does while the event store answers no read. */
async function withoutStore<T>(read: () => Promise<T>): Promise<T> {
  const away = (): Promise<never> => Promise.reject(new EventStoreUnavailableError('away'));
  const mocks = (['head', 'readStream', 'readAll'] as const).map(method =>
    jest.spyOn(EmbeddedEventStore.prototype, method).mockImplementation(away),
  );
  try {
    return await read();
  } finally {
    for (const mock of mocks) mock.mockRestore();
  }
}

it.each(named)('GET /v1/%s does not read the event store', async path => {
  const answer = await withoutStore(() => reader.get<{ readonly id: string; readonly name: string }>(`/v1/${path}`));
  expect(expectStatus(answer, 200).body.name).toBe(path.split('/').at(-1)?.toLowerCase());
  const collection = path.split('/').slice(0, -1).join('/');
  const byId = await withoutStore(() => reader.get(`/v1/${collection}/${answer.body.id}`));
  expect(expectStatus(byId, 200).body).toMatchObject({ id: answer.body.id });
});

it('a node is read by its name without the event store', async () => {
  const [node] = await api.list<{ readonly name: string }>('/v1/clusters/shop/nodes');
  const answer = await withoutStore(() => reader.get(`/v1/nodes/${node?.name}`));
  expect(expectStatus(answer, 200).body).toMatchObject(node ?? {});
});

it.each(['clusters/shop/node-groups', 'containers?clusterId=shop', 'nodes?nodeGroupId=workers'])(
  'GET /v1/%s looks names up without the event store',
  async path => {
    const answer = await withoutStore(() => reader.get<{ readonly items: readonly unknown[] }>(`/v1/${path}`));
    expect(expectStatus(answer, 200).body.items).toHaveLength(1);
  },
);

it.each([...named.map(path => `${path}-not`), 'clusters/no/node-groups/workers', 'clusters/no/networks'])(
  'GET /v1/%s answers 404 without the event store',
  async path => void expectProblem(await withoutStore(() => reader.get(`/v1/${path}`)), 404),
);
