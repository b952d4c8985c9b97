import { commandSubject } from '@stave/contracts';
import { ClustersHarness, type Replica } from './clusters.fixture.js';
import { ClusterInStates, ways } from './clusters-in-states.fixture.js';
import { create, flavor, refusal, Sources, uuid } from './creation.fixture.js';

const manifest = {
  name: 'fake',
  attributes: ['network.cidr', 'image'],
  defaults: { image: 'base:1' },
  restrictions: { nodeImages: ['own:1'] },
};
const hostile = {
  network: { driver: 'x', cidr: '10.0.0.0/24', options: { a: 1 } },
  api: { port: 2376 },
  defaults: { flavor: { ...flavor, diskGb: 9 }, image: 'evil:1', dataVolumeGb: 5 },
};
const refusedOfCluster = [
  '/network/driver unsupported',
  '/network/options unsupported',
  '/api/port unsupported',
  '/defaults/flavor/diskGb unsupported',
  '/defaults/image image-not-allowed',
  '/defaults/dataVolumeGb unsupported',
];

let harness: ClustersHarness;
let replica: Replica;
afterEach(() => harness.close());
const open = async (offered: object): Promise<void> => {
  harness = await ClustersHarness.open({ ...offered });
  replica = await harness.replica();
};
const places = async (attempt: Promise<unknown>): Promise<unknown> => {
  const refused = await refusal(attempt);
  return refused?.errors?.map(e => `${e.pointer} ${e.code}`) ?? refused?.code;
};
const clusters = async (): Promise<number> => (await harness.all('ClusterCreated')).length;

describe('clusters on a driver with restrictions', () => {
  it('refuses attributes that the driver does not honour and images that the operator does not list', async () => {
    await open(manifest);
    const web = { name: 'web', role: 'worker', count: 1, flavor: { ...flavor, diskGb: 9 }, image: 'evil:1' };
    const body = { name: 'c', driver: 'fake', ...hostile, nodeGroups: [web] };
    const refused = [
      ...refusedOfCluster,
      '/nodeGroups/0/flavor/diskGb unsupported',
      '/nodeGroups/0/image image-not-allowed',
    ];
    const found = await places(create(harness, replica, body));
    expect(new Set(found as readonly string[])).toEqual(new Set(refused));
    expect(new Set((await places(harness.ask(replica, 'create', body, { dryRun: true }))) as string[])).toEqual(
      new Set(refused),
    );
    expect(await clusters()).toBe(0);
    const allowed = [undefined, 'own:1', 'base:1'].map((image, i) => ({ ...web, flavor, name: `g${i}`, image }));
    expect(await places(create(harness, replica, { name: 'ok', driver: 'fake', nodeGroups: allowed }))).toBeUndefined();
  });

  it('refuses them in a change of the cluster', async () => {
    await open(manifest);
    const { resource } = await create(harness, replica, { name: 'c', driver: 'fake' });
    expect(await places(harness.ask(replica, 'patch', { id: resource.id, patch: hostile }))).toEqual(refusedOfCluster);
  });

  it('reports what comes from a template at the place where the request names it', async () => {
    await open(manifest);
    await new Sources(harness).clusterTemplate(
      1,
      { driver: 'fake' },
      { web: { role: 'worker', flavor, image: 'evil:1' } },
    );
    expect(await places(create(harness, replica, { name: 'c', from: { clusterTemplate: uuid(1) } }))).toEqual([
      '/from image-not-allowed',
    ]);
  });
});

describe('a change of driver options of a cluster', () => {
  const options = {
    type: 'object',
    additionalProperties: false,
    properties: { size: { type: 'integer', 'x-stave-change': 'roll' }, tier: { type: 'string' } },
  };

  it('rebuilds the nodes only where the schema marks the option as rolling', async () => {
    await open({ name: 'fake', options });
    const cluster = await ClusterInStates.create(harness, replica, 'c');
    await ways['active']?.(cluster);
    await cluster.ask('patch', { patch: { options: { tier: 'gold' } } });
    await cluster.claim();
    await cluster.done();
    expect(await harness.all('ClusterRebuildRequested')).toEqual([]);
    const { operationId } = await cluster.ask('patch', { patch: { options: { size: 2 } } });
    expect((await harness.all('ClusterRebuildRequested')).map(({ data }) => data)).toEqual([
      { operation: { id: operationId, kind: 'cluster.update', total: 1 } },
    ]);
    expect((await cluster.state()).spec.options).toEqual({ tier: 'gold', size: 2 });
    expect(await refusal(cluster.ask('patch', { patch: { options: { size: 3 } } }))).toMatchObject({ code: 'busy' });
  });
});

describe('clusters of a project that the driver does not serve', () => {
  const refused = { code: 'driver-not-allowed', kind: 'forbidden' };

  it('refuses their creation and its plan, also through a template', async () => {
    await open({ name: 'fake', projects: ['default'] });
    await new Sources(harness).clusterTemplate(1, { driver: 'fake' });
    const body = { name: 'c', driver: 'fake' };
    expect(await refusal(create(harness, replica, body))).toMatchObject(refused);
    expect(await refusal(harness.ask(replica, 'create', body, { dryRun: true }))).toMatchObject(refused);
    const cloned = { name: 'c', from: { clusterTemplate: uuid(1) } };
    expect(await refusal(create(harness, replica, cloned))).toMatchObject(refused);
    expect(await clusters()).toBe(0);
  });

  it('accepts a template that names the driver', async () => {
    await open({ name: 'fake', projects: ['default'] });
    const subject = commandSubject('cluster-service', 'cluster-template', 'create');
    const template = harness.request(replica, subject, { name: 't', driver: 'fake' });
    expect(await refusal(template)).toBeUndefined();
  });
});
