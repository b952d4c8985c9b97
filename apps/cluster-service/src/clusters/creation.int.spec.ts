import { ClustersHarness, type Replica } from './clusters.fixture.js';
import { create, creationOf, flavor, large, refusal, Sources, uuid } from './creation.fixture.js';

let harness: ClustersHarness;
let replica: Replica;
let sources: Sources;
beforeEach(async () => {
  harness = await ClustersHarness.open();
  replica = await harness.replica();
  sources = new Sources(harness);
});
afterEach(() => harness.close());

const web = { name: 'web', role: 'worker', count: 2, flavor };
const made = async (body: object) => creationOf(harness, (await create(harness, replica, body)).resource.id);

it('a clone has all attributes of its source except name, driver version and ids', async () => {
  const asked = {
    name: 'shop',
    description: 'sells',
    driver: 'fake',
    labels: { env: 'prod' },
    network: { cidr: '10.0.0.0/24' },
    api: { port: 2376 },
    defaults: { flavor: large },
    nodeGroups: [web, { name: 'db', role: 'manager', labels: { disk: 'fast' }, options: {} }],
  };
  const first = await made(asked);
  const drivers = [{ name: 'fake', version: '1.1.0', manifest: {} }];
  const member = { conductor: 'two', session: 't', group: '', drivers, weight: 1, release: '1', keyMode: 'group' };
  await harness.append('conductorRing', { type: 'ConductorJoined', data: { ...member, kind: 'conductor' } });
  const clone = await made({ from: { cluster: 'shop' } });
  expect(clone.spec).toEqual({ ...first.spec, driverVersion: '1.1.0' });
  expect(clone.groups.map(g => [g.name, g.spec])).toEqual(first.groups.map(g => [g.name, g.spec]));
  expect(clone.groups.map(g => g.id)).not.toEqual(first.groups.map(g => g.id));
  expect(clone.name).toMatch(/^shop-[0-9a-z]{6}$/);
  const source = { type: 'cluster', id: first.id, name: 'shop' };
  const group = { type: 'nodeGroup', id: first.groups[0]?.id, name: 'web' };
  expect(clone).toMatchObject({
    source,
    origins: { labels: { from: 'source', source }, driverVersion: { from: 'default' } },
    groups: [{ source: group, origins: { flavor: { from: 'source', source: group } } }, {}],
  });
});

it('the node groups of a request are merged with those of its template by name, without the omitted ones', async () => {
  await sources.clusterTemplate(
    1,
    { driver: 'fake', labels: { a: '1' }, defaults: { flavor } },
    {
      web: { role: 'worker', count: 3, labels: { tier: 'web' } },
      db: { role: 'manager' },
      gone: { role: 'worker' },
    },
  );
  await sources.groupTemplate(2, 'gpu', { role: 'worker', flavor: large, taints: [] });
  const {
    groups: [living],
  } = await made({ name: 'old', driver: 'fake', nodeGroups: [{ ...web, name: 'edge', count: 7 }] });
  const { spec, groups } = await made({
    name: 'new',
    from: { clusterTemplate: uuid(1) },
    labels: { b: '2' },
    omitNodeGroups: ['GONE'],
    nodeGroups: [
      { name: 'WEB', count: 1 },
      { from: { nodeGroupTemplate: 'gpu' }, count: 4 },
      { name: 'far', from: { nodeGroup: living?.id }, zones: ['z'] },
      { name: 'own', role: 'worker', flavor: large },
      { role: 'worker' },
    ],
  });
  expect(spec).toMatchObject({ driver: 'fake', labels: { b: '2' } });
  expect(groups.map(({ name, spec: g }) => [name, g.role, g.count, g.flavor])).toEqual([
    ['web', 'worker', 1, flavor],
    ['db', 'manager', 1, flavor],
    [expect.stringMatching(/^gpu-[0-9a-z]{6}$/), 'worker', 4, large],
    ['far', 'worker', 7, flavor],
    ['own', 'worker', 1, large],
    ['group-6', 'worker', 1, flavor],
  ]);
  expect(groups[0]?.spec.labels).toEqual({ tier: 'web' });
  expect(groups[3]?.spec.zones).toEqual([{ name: 'z' }]);
  expect(groups.map(g => g.origins?.['flavor']?.from)).toEqual([
    'cluster-defaults',
    'cluster-defaults',
    'source',
    'source',
    'request',
    'cluster-defaults',
  ]);
});

it('a creation reports every missing attribute at once, with each place where it can be given', async () => {
  await sources.clusterTemplate(1, {}, { web: { role: 'worker' }, db: {} });
  await sources.groupTemplate(2, 'gpu', { flavor });
  const body = {
    from: { clusterTemplate: uuid(1) },
    nodeGroups: [{ name: 'db', role: 'manager' }, { from: { nodeGroupTemplate: 'gpu' } }, {}],
  };
  const said = await refusal(create(harness, replica, body));
  expect(said?.errors).toEqual([
    { pointer: '/driver', code: 'required', detail: 'driver is required' },
    { pointer: '/from', code: 'required', detail: 'node group template web: flavor is required' },
    { pointer: '/nodeGroups/0/flavor', code: 'required', detail: 'flavor is required' },
    { pointer: '/nodeGroups/1/role', code: 'required', detail: 'role is required' },
    { pointer: '/nodeGroups/2/role', code: 'required', detail: 'role is required' },
    { pointer: '/nodeGroups/2/flavor', code: 'required', detail: 'flavor is required' },
  ]);
});

it.each([
  ['a source that does not exist', { from: { clusterTemplate: 'none' } }, 'not-found', ['/from/clusterTemplate']],
  [
    'several sources that do not exist',
    { from: { cluster: 'none' }, nodeGroups: [web, { from: { nodeGroup: uuid(9) } }] },
    'not-found',
    ['/from/cluster', '/nodeGroups/1/from/nodeGroup'],
  ],
  [
    'an omitted group without a source',
    { driver: 'fake', omitNodeGroups: ['web'] },
    'unknown-node-group',
    ['/omitNodeGroups/0'],
  ],
  [
    'a driver version that no conductor offers',
    { driver: 'fake', driverVersion: '9.9.9' },
    'no-conductor-available',
    [],
  ],
  [
    'two groups with the same name',
    { driver: 'fake', nodeGroups: [web, { ...web, name: 'WEB' }] },
    'duplicate-name',
    ['/nodeGroups/1/name'],
  ],
])('a creation is refused for %s', async (_what, body, code, pointers) => {
  const said = await refusal(create(harness, replica, body));
  expect([said?.code, (said?.errors ?? []).map(e => e.pointer)]).toEqual([code, pointers]);
  expect(await harness.all('ClusterCreated')).toEqual([]);
});

it('a creation uses the requested driver version if a conductor offers it', async () => {
  expect(await made({ driver: 'fake', driverVersion: '1.0.0' })).toMatchObject({
    spec: { driverVersion: '1.0.0' },
    origins: { driverVersion: { from: 'request' } },
  });
});

it('a source with another driver is refused, and one that is being deleted is a conflict', async () => {
  const {
    groups: [group],
  } = await made({ name: 'old', driver: 'fake', nodeGroups: [web] });
  const other = { driver: 'large', nodeGroups: [{ from: { nodeGroup: group?.id } }] };
  const said = await refusal(create(harness, replica, { ...other, from: { cluster: 'old' } }));
  expect(said?.errors?.map(e => [e.pointer, e.code])).toEqual([
    ['/from', 'driver-mismatch'],
    ['/nodeGroups/0/from', 'driver-mismatch'],
  ]);
  const old = await harness.all('ClusterCreated');
  await harness.append(old[0]?.stream ?? '', {
    type: 'ClusterDeletionRequested',
    data: { operation: { id: 'c-x', kind: 'cluster.delete', total: 1 } },
  });
  expect(await refusal(create(harness, replica, { from: { cluster: 'old' } }))).toMatchObject({
    code: 'being-deleted',
    kind: 'conflict',
    errors: [{ pointer: '/from/cluster' }],
  });
});
