import type { Actor, ServiceError } from '@stave/contracts';
import { ClustersHarness, PROJECT, type Replica } from '../clusters/clusters.fixture.js';
import { asked, groupTemplatesIn, type Asked, type Kind, type TemplateView } from './templates.fixture.js';

const flavor = { cpus: 1, memoryMb: 512 };
const administrator: Actor = { keyId: 'root', role: 'admin', project: null };
const manifest = {
  options: {
    type: 'object',
    properties: { size: { type: 'integer' }, beat: { type: 'integer', 'x-stave-scope': 'cluster' } },
    additionalProperties: false,
  },
  minimumFlavor: { cpus: 1 },
  requiresManager: true,
};

let harness: ClustersHarness;
let replica: Replica;
beforeEach(async () => {
  harness = await ClustersHarness.open();
  const drivers = [{ name: 'strict', version: '2.0.0', manifest }];
  const data = { conductor: 'two', session: 't', group: 'site', drivers, weight: 1, release: '1', keyMode: 'group' };
  await harness.append('conductorRing', { type: 'ConductorJoined', data: { ...data, kind: 'conductor' } });
  replica = await harness.replica();
});
afterEach(() => harness.close());

const ask = (change: Asked, actor?: Actor): Promise<TemplateView> =>
  asked(harness, replica, change, actor ? { actor } : {});
const create = (kind: Kind, body: object, actor?: Actor): Promise<TemplateView> =>
  ask({ kind, verb: 'create', body }, actor);
const patch = (kind: Kind, id: string, changes: object, actor?: Actor): Promise<TemplateView> =>
  ask({ kind, verb: 'patch', body: { id, patch: changes } }, actor);
const refusal = (attempt: Promise<unknown>): Promise<ServiceError> =>
  attempt.then(
    (): ServiceError => ({ code: 'accepted', kind: 'internal', detail: '' }),
    (e: { error: ServiceError }) => e.error,
  );
const reported = async (attempt: Promise<unknown>): Promise<readonly string[]> => {
  const { kind, errors = [] } = await refusal(attempt);
  return [kind, ...errors.map(({ pointer, code }) => `${pointer} ${code}`)];
};

it("a template is refused with every violation of the driver's manifest at once, at the pointer of the value", async () => {
  const small = { cpus: 0.5, memoryMb: 512 };
  const body = {
    driver: 'strict',
    options: { size: 'big' },
    defaults: { flavor: small },
    nodeGroups: [
      { name: 'w', options: { colour: 'red' }, flavor: small },
      { name: 'x', role: 'worker', count: 2, maxCount: 1 },
    ],
  };
  expect(await reported(create('cluster-template', body))).toEqual([
    'rule',
    '/nodeGroups/1/count above-max-count',
    '/options/size invalid-option',
    '/defaults/flavor/cpus below-minimum-flavor',
    '/nodeGroups/0/options/colour unknown-option',
    '/nodeGroups/0/flavor/cpus below-minimum-flavor',
  ]);
  const { id } = await create('cluster-template', { driver: 'strict', options: { size: 1 } });
  expect(await reported(patch('cluster-template', id, { options: { size: 'big' } }))).toEqual([
    'rule',
    '/options/size invalid-option',
  ]);
  const inside = { clusterTemplateId: id, options: { size: null } };
  expect(await reported(create('node-group-template', inside))).toEqual(['rule', '/options/size invalid-option']);
  const free = await create('node-group-template', { options: { colour: 'red' } });
  expect(await reported(patch('node-group-template', free.id, { clusterTemplateId: id }))).toEqual([
    'rule',
    '/options/colour unknown-option',
  ]);
});

it('an option of clusters only is refused in templates of node groups, also once one gets a cluster template', async () => {
  const options = { beat: 2 };
  const { id: clusterTemplateId } = await create('cluster-template', { driver: 'strict', options });
  const refused = ['rule', '/options/beat unsupported'];
  expect(await reported(create('node-group-template', { clusterTemplateId, options }))).toEqual(refused);
  const group = await create('node-group-template', { clusterTemplateId });
  expect(await reported(patch('node-group-template', group.id, { options }))).toEqual(refused);
  const free = await create('node-group-template', { options });
  expect(await reported(patch('node-group-template', free.id, { clusterTemplateId }))).toEqual(refused);
});

it('a patch of a template is refused where the driver does not honour an attribute or has another minimum', async () => {
  const drivers = [{ name: 'bare', version: '1.0.0', manifest: { ...manifest, name: 'bare', attributes: ['image'] } }];
  const data = { conductor: 'bare', session: 'b', group: 'site', drivers, weight: 1, release: '1', keyMode: 'group' };
  await harness.append('conductorRing', { type: 'ConductorJoined', data: { ...data, kind: 'conductor' } });
  const other = await harness.replica();
  const send = (kind: Kind, verb: 'create' | 'patch', body: object): Promise<TemplateView> =>
    asked(harness, other, { kind, verb, body }, {});
  const { id } = await send('cluster-template', 'create', { driver: 'bare', defaults: { image: 'own:1' } });
  const changes = {
    api: { port: 6443 },
    network: { driver: 'x' },
    defaults: { dataVolumeGb: 5, flavor: { ...flavor, cpus: 0.5 } },
  };
  expect(await reported(send('cluster-template', 'patch', { id, patch: changes }))).toEqual([
    'rule',
    '/network/driver unsupported',
    '/api/port unsupported',
    '/defaults/dataVolumeGb unsupported',
    '/defaults/flavor/cpus below-minimum-flavor',
  ]);
  const group = await send('node-group-template', 'create', { clusterTemplateId: id });
  const ofGroup = { id: group.id, patch: { dataVolumeGb: 5 } };
  expect(await reported(send('node-group-template', 'patch', ofGroup))).toEqual(['rule', '/dataVolumeGb unsupported']);
  const free = await send('node-group-template', 'create', { dataVolumeGb: 5 });
  const move = { id: free.id, patch: { clusterTemplateId: id } };
  expect(await reported(send('node-group-template', 'patch', move))).toEqual(['rule', '/dataVolumeGb unsupported']);
});

it('a template whose driver no conductor offers is accepted with a warning in the answer', async () => {
  const warned = (detail: string): object => ({ warnings: [{ code: 'no-conductor-available', detail }] });
  expect(await create('cluster-template', { driver: 'strict' })).not.toHaveProperty('warnings');
  expect(await create('cluster-template', { driver: 'strict', conductorGroup: 'SITE' })).not.toHaveProperty('warnings');
  const away = { driver: 'strict', driverVersion: '3.0.0', conductorGroup: '' };
  const answer = await create('cluster-template', away);
  expect(answer).toMatchObject(
    warned('no live conductor serves driver strict in version 3.0.0 in conductor group "" now'),
  );
  expect(await patch('cluster-template', answer.id, { driverVersion: null, conductorGroup: null })).not.toHaveProperty(
    'warnings',
  );
  const group = await create('node-group-template', { conductorGroup: 'nowhere' });
  expect(group).toMatchObject(warned('no live conductor is in conductor group "nowhere" now'));
  const clusterTemplateId = (await create('cluster-template', { driver: 'strict' })).id;
  expect(await create('node-group-template', { conductorGroup: 'site', clusterTemplateId })).not.toHaveProperty(
    'warnings',
  );
  expect(await create('node-group-template', { conductorGroup: '', clusterTemplateId })).toMatchObject(
    warned('no live conductor serves driver strict in conductor group "" now'),
  );
});

it('references that do not exist are reported together with the other problems of a template', async () => {
  const body = { clusterTemplateId: 'none', count: 2, maxCount: 1 };
  expect(await reported(create('node-group-template', body))).toEqual([
    'rule',
    '/clusterTemplateId not-found',
    '/count above-max-count',
  ]);
  expect(await reported(create('node-group-template', { ...body, from: { nodeGroup: 'none' } }))).toEqual([
    'rule',
    '/from/nodeGroup not-found',
    '/clusterTemplateId not-found',
    '/count above-max-count',
  ]);
  const { id } = await create('node-group-template', { flavor });
  expect(await reported(patch('node-group-template', id, body))).toEqual([
    'rule',
    '/clusterTemplateId not-found',
    '/count above-max-count',
  ]);
  const stale = asked(
    harness,
    replica,
    { kind: 'node-group-template', verb: 'patch', body: { id, patch: { clusterTemplateId: 'none' } } },
    { ifMatch: 7 },
  );
  expect((await refusal(stale)).code).toBe('revision-mismatch');
});

it('a cluster template holds at most a hundred node group templates', async () => {
  const nodeGroups = Array.from({ length: 100 }, (_, i) => ({ name: `g${i}` }));
  const { id, nodeGroupTemplates = [] } = await create('cluster-template', { nodeGroups });
  expect(nodeGroupTemplates.map(({ name }) => name)).toEqual(nodeGroups.map(({ name }) => name));
  expect(await reported(create('node-group-template', { clusterTemplateId: id }))).toEqual([
    'conflict',
    '/clusterTemplateId too-many-groups',
  ]);
  const more = { from: { clusterTemplate: id }, nodeGroups: [{}] };
  expect(await reported(create('cluster-template', more))).toEqual(['rule', '/nodeGroups too-many-groups']);
  const fewer = { ...more, omitNodeGroups: ['G7', 'none'] };
  expect(await reported(create('cluster-template', fewer))).toEqual(['rule', '/omitNodeGroups/1 unknown-node-group']);
});

it('an administrator of the installation cannot move a template into another project', async () => {
  const theirs = await create('cluster-template', { name: 'theirs' }, { ...administrator, project: 'p2' });
  const { id } = await create('node-group-template', { name: 'mine' });
  expect(await reported(patch('node-group-template', id, { clusterTemplateId: theirs.id }, administrator))).toEqual([
    'rule',
    '/clusterTemplateId not-found',
  ]);
  const made = await create('node-group-template', { name: 'made', clusterTemplateId: theirs.id }, administrator);
  expect(made).toMatchObject({ projectId: 'p2', clusterTemplateId: theirs.id });
  expect((await groupTemplatesIn(harness)).map(s => s.created.projectId)).toEqual([PROJECT, 'p2']);
});

it('immutable marks of node group templates are inherited with the templates', async () => {
  const nodeGroups = [{ name: 'w', flavor, immutableAttributes: ['flavor', 'image'] }];
  const first = await create('cluster-template', { name: 'first', nodeGroups });
  const from = { clusterTemplate: first.id };
  const other = { ...flavor, cpus: 2 };
  const wrong = { from, nodeGroups: [{ name: 'W', flavor: other, image: 'i' }] };
  expect(await reported(create('cluster-template', wrong))).toEqual([
    'rule',
    '/nodeGroups/0/flavor immutable-attribute',
    '/nodeGroups/0/image immutable-attribute',
  ]);
  await create('cluster-template', {
    from,
    nodeGroups: [{ name: 'W', flavor, count: 3, immutableAttributes: ['count'] }],
  });
  const [, copy] = await groupTemplatesIn(harness);
  const by = { type: 'nodeGroupTemplate', id: first.nodeGroupTemplates?.[0]?.id, name: 'w' };
  expect(copy).toMatchObject({ immutableAttributes: ['count'], locked: { flavor: by, image: by } });
  const id = copy?.created.id ?? '';
  expect(await reported(patch('node-group-template', id, { flavor: { cpus: 2 }, image: 'i', count: 4 }))).toEqual([
    'rule',
    '/flavor immutable-attribute',
    '/image immutable-attribute',
  ]);
  expect(await patch('node-group-template', id, { flavor: { cpus: 1 }, count: 4 })).toMatchObject({ count: 4 });
});

it('a source that is deleted concurrently is used completely or refused', async () => {
  const replicas = [replica, await harness.replica()] as const;
  const copied = async (id: string, round: number): Promise<string> => {
    // now before the deletion, now in the middle of it, now after it
    for (let turns = round % 20; turns > 0; turns--) await new Promise(resolve => setImmediate(resolve));
    const change: Asked = { kind: 'cluster-template', verb: 'create', body: { from: { clusterTemplate: id } } };
    const { nodeGroupTemplates = [] } = await asked(harness, replicas[round % 2]!, change);
    return nodeGroupTemplates.map(({ name }) => name).join();
  };
  const said = new Set<string>();
  for (let round = 0; round < 60; round++) {
    const nodeGroups = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];
    const { id } = await create('cluster-template', { driver: 'fake', nodeGroups });
    const [made] = await Promise.all([
      copied(id, round).catch((e: { error: ServiceError }) => e.error.code),
      ask({ kind: 'cluster-template', verb: 'delete', body: { id } }),
    ]);
    said.add(made);
  }
  expect([...said].sort()).toEqual(['a,b,c', 'not-found']);
});
