import { commandSubject } from '@stave/contracts';
import { eventually } from '@stave/platform/testing';
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

  it('is refused while nodes that it rebuilds have the only data of volumes that are to be retained', async () => {
    await open({ name: 'fake', options });
    const cluster = await ClusterInStates.create(harness, replica, 'c');
    await ways['active']?.(cluster);
    const { created } = await cluster.state();
    const data = {
      id: 'v',
      name: 'books',
      clusterId: created.id,
      projectId: 'p1',
      scope: 'node',
      reclaimPolicy: 'retain',
    };
    await harness.append('volume-v', { type: 'VolumeCreated', data }, { type: 'VolumeBound', data: { nodeId: 'n' } });
    const patched = (change: object, discardVolumes?: boolean) =>
      refusal(cluster.ask('patch', { patch: { options: change }, ...(discardVolumes && { discardVolumes }) }));
    const body = { id: created.id, patch: { options: { size: 2 } } };
    const planned = () => refusal(harness.ask(replica, 'patch', body, { dryRun: true }));
    await eventually(async () => (await planned())?.code === 'holds-volumes');
    expect(await patched({ size: 2 })).toMatchObject({ code: 'holds-volumes', extra: { volumes: ['books'] } });
    expect(await patched({ tier: 'gold' })).toBeUndefined();
    await cluster.claim();
    await cluster.done();
    expect(await harness.all('ClusterRebuildRequested')).toEqual([]);
    expect(await patched({ size: 2 }, true)).toBeUndefined();
    expect(await harness.all('ClusterRebuildRequested')).toHaveLength(1);
  });
});

describe('an attribute that the driver cannot change while the cluster has nodes', () => {
  const fixed = { ...manifest, fixedAttributes: ['network.cidr'] };
  const cidr = { network: { cidr: '10.1.0.0/24' } };
  const refused = ['/network/cidr unsupported'];
  const patched = (id: string, patch: object, meta: object = {}) =>
    places(harness.ask(replica, 'patch', { id, patch }, meta));
  const withGroup = async (count: number): Promise<string> => {
    const nodeGroups = [{ name: 'w', role: 'worker', count, flavor }];
    return (await create(harness, replica, { name: `c${count}`, driver: 'fake', nodeGroups })).resource.id;
  };

  it('is refused at once in a change and in its plan, and nothing changes', async () => {
    await open(fixed);
    const id = await withGroup(2);
    await harness.built(id);
    for (const meta of [{ dryRun: true }, {}]) {
      expect(await patched(id, cidr, meta)).toEqual(refused);
      expect(await patched(id, { description: 'd', ...cidr }, meta)).toEqual(refused);
    }
    expect(await harness.all('ClusterUpdated')).toEqual([]);
    expect(await patched(id, { description: 'd' })).toBeUndefined();
  });

  it('is changed before the network is built, and while no group has nodes', async () => {
    await open(fixed);
    const early = await withGroup(2);
    expect(await patched(early, cidr)).toBeUndefined();
    const empty = await withGroup(0);
    await harness.built(empty);
    expect(await patched(empty, cidr)).toBeUndefined();
  });

  it('is refused as removed or added, and accepted as the value that the cluster has', async () => {
    await open(fixed);
    const id = await withGroup(1);
    expect(await patched(id, cidr)).toBeUndefined();
    await harness.built(id);
    for (const network of [null, { cidr: null }]) expect(await patched(id, { network })).toEqual(refused);
    expect(await patched(id, cidr)).toBeUndefined();
  });

  it('is not changed while no conductor offers the driver, because nothing shows whether it can', async () => {
    await open(fixed);
    const id = await withGroup(1);
    await harness.append('conductorRing', { type: 'ConductorLeft', data: { conductor: 'one', session: 's' } });
    await eventually(async () => (await patched(id, { options: { a: 1 } }, { dryRun: true })) !== undefined);
    for (const patch of [cidr, { network: null }, { api: { port: 1 } }])
      expect(await patched(id, patch)).toBe('no-conductor-available');
    expect(await patched(id, { description: 'd' })).toBeUndefined();
  });

  it('is changed by a driver that does not name it', async () => {
    await open(manifest);
    const id = await withGroup(1);
    await harness.built(id);
    expect(await patched(id, cidr)).toBeUndefined();
  });
});

describe('an option of clusters only', () => {
  const options = {
    type: 'object',
    additionalProperties: false,
    properties: { beat: { type: 'integer', 'x-stave-scope': 'cluster' }, size: { type: 'integer' } },
  };

  it('is refused for node groups, of templates too, and accepted for the cluster', async () => {
    await open({ name: 'fake', options });
    const group = { name: 'w', role: 'worker', flavor, options: { beat: 2, size: 1 } };
    const refused = ['/nodeGroups/0/options/beat unsupported'];
    const body = { name: 'c', driver: 'fake', options: { beat: 2 }, nodeGroups: [group] };
    expect(await places(create(harness, replica, body))).toEqual(refused);
    expect(await places(harness.ask(replica, 'create', body, { dryRun: true }))).toEqual(refused);
    const template = commandSubject('cluster-service', 'cluster-template', 'create');
    expect(await places(harness.request(replica, template, { ...body, name: 't' }))).toEqual(refused);
    expect(await clusters()).toBe(0);
    const allowed = { ...body, nodeGroups: [{ ...group, options: { size: 1 } }] };
    expect(await places(create(harness, replica, allowed))).toBeUndefined();
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
