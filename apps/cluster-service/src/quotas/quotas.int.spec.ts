import { commandSubject, type Actor, type RequestMeta } from '@stave/contracts';
import type { EmbeddedEventStore } from '@stave/platform';
import { quotaDimensions } from '@stave/domain';
import { eventually } from '@stave/platform/testing';
import { ClustersHarness, PROJECT, type Replica } from '../clusters/clusters.fixture.js';
import { refusal } from '../clusters/creation.fixture.js';

interface Quotas {
  readonly limits: Readonly<Record<string, number | null>>;
  readonly used: Readonly<Record<string, number>>;
  readonly revision: number;
}

const all = <V>(value: V) => Object.fromEntries(quotaDimensions.map(name => [name, value]));
const operator: Actor = { keyId: 'operator', role: 'admin', project: null };
const QUOTA = `quota-${PROJECT}`;

let harness: ClustersHarness;
let replicas: readonly [Replica, Replica];
beforeEach(async () => {
  harness = await ClustersHarness.open();
  await harness.append(`project-${PROJECT}`, { type: 'ProjectCreated', data: { id: PROJECT, name: PROJECT } });
  replicas = [await harness.replica(), await harness.replica()];
});
afterEach(() => harness.close());

const project = <D>(verb: string, body: object, meta: Partial<RequestMeta> = {}, replica = replicas[0]): Promise<D> =>
  harness.request(replica, commandSubject('cluster-service', 'project', verb), body, { actor: operator, ...meta });
const limit = (limits: object, meta: Partial<RequestMeta> = {}): Promise<{ readonly resource: Quotas }> =>
  project('limit', { id: PROJECT, limits }, meta);
const quotas = (replica = replicas[0]): Promise<Quotas> => project('quotas', { id: PROJECT }, {}, replica);
const cluster = (replica: Replica, meta: Partial<RequestMeta> = {}, more: object = {}) =>
  harness.ask<{ readonly resource: { readonly id: string } }>(
    replica,
    'create',
    { driver: 'fake', nodeGroups: [], ...more },
    meta,
  );
const key = (meta: Partial<RequestMeta> = {}): Promise<{ readonly resource: { readonly id: string } }> =>
  harness.request(
    replicas[0],
    commandSubject('cluster-service', 'api-key', 'create'),
    { project: PROJECT, role: 'member' },
    { actor: operator, ...meta },
  );
const events = async (): Promise<readonly string[]> => (await harness.store.readStream(QUOTA)).map(({ type }) => type);
const allSettled = async (): Promise<void> => {
  await eventually(async () => {
    const types = await events();
    const count = (type: string): number => types.filter(each => each === type).length;
    const ended = (await harness.store.readStream(QUOTA)).flatMap(({ type, data }) =>
      type.startsWith('QuotaReservations') ? (data as { readonly ids: readonly string[] }).ids : [],
    );
    return count('QuotaReserved') === ended.length;
  }, 'all reservations have ended');
};

it('without limits, a creation appends nothing to the quota of its project', async () => {
  await cluster(replicas[0]);
  await key();
  expect(await events()).toEqual([]);
  expect(await quotas()).toEqual({
    projectId: PROJECT,
    limits: all(null),
    used: { ...all(0), clusters: 1, keys: 1 },
    revision: 1,
  });
});

it('creations at the same time on two replicas take exactly what the limit allows', async () => {
  await cluster(replicas[0]);
  await limit({ clusters: 5 });
  const attempts = Array.from({ length: 16 }, (_, at) => refusal(cluster(at % 2 === 0 ? replicas[0] : replicas[1])));
  const refused = (await Promise.all(attempts)).filter(error => error !== undefined);
  expect(refused).toHaveLength(12);
  expect(refused.map(({ code }) => code)).toEqual(Array.from({ length: 12 }, () => 'quota-exceeded'));
  expect(refused.at(-1)?.extra).toEqual({ quotas: [{ name: 'clusters', limit: 5, used: 5, asked: 1 }] });
  expect(await harness.all('ClusterCreated')).toHaveLength(5);
  await allSettled();
  for (const replica of replicas) expect(await quotas(replica)).toMatchObject({ used: { clusters: 5 } });
});

it('what is deleted gives its room back', async () => {
  await limit({ keys: 1 });
  const { resource } = await key();
  expect(await refusal(key())).toMatchObject({ code: 'quota-exceeded', kind: 'conflict' });
  const subject = commandSubject('cluster-service', 'api-key', 'delete');
  await harness.request(replicas[0], subject, { id: resource.id }, { actor: operator });
  await eventually(async () => (await quotas()).used['keys'] === 0, 'the room of the revoked key is given back');
  await key();
  expect(await refusal(key())).toMatchObject({ code: 'quota-exceeded' });
});

it('a request that was killed after its reservation gives the room back, and cannot create its resource afterwards', async () => {
  await limit({ clusters: 1 });
  // the reservation of a request of long ago that never came to its creation
  const reserved = { id: 'killed', stream: 'cluster-killed', amounts: { clusters: 1 } };
  await harness.append(QUOTA, { type: 'QuotaReserved', data: reserved });
  expect(await refusal(cluster(replicas[0]))).toMatchObject({ code: 'quota-exceeded' });
  await allSettled();
  expect((await harness.store.readStream('cluster-killed')).map(({ type }) => type)).toEqual(['CreationAbandoned']);
  await cluster(replicas[1]);
  await allSettled();
  expect(await quotas()).toMatchObject({ used: { clusters: 1 } });
});

it('a creation that ends between its reservation and its first event is completed by its repeat, with the same reservation', async () => {
  await limit({ clusters: 1 });
  const store: EmbeddedEventStore = harness.store;
  const append = store.appendInOrder.bind(store);
  const cut = jest.spyOn(store, 'appendInOrder').mockImplementationOnce(() => Promise.reject(new Error('cut off')));
  await expect(cluster(replicas[0], { idempotencyKey: 'once' })).rejects.toThrow();
  expect(cut).toHaveBeenCalledTimes(1);
  cut.mockImplementation(append);
  expect(await events()).toEqual(['QuotaLimitsChanged', 'QuotaReserved']);
  expect(await refusal(cluster(replicas[1]))).toMatchObject({ code: 'quota-exceeded' });
  await cluster(replicas[0], { idempotencyKey: 'once' });
  await allSettled();
  expect(await quotas(replicas[1])).toMatchObject({ used: { clusters: 1 } });
  expect((await events()).filter(type => type === 'QuotaReserved')).toHaveLength(1);
});

it('a creation whose name is taken keeps no room', async () => {
  await limit({ clusters: 2 });
  await cluster(replicas[0], {}, { name: 'shop' });
  expect(await refusal(cluster(replicas[1], {}, { name: 'shop' }))).toMatchObject({ code: 'name-taken' });
  await cluster(replicas[0], {}, { name: 'bank' });
  expect(await quotas()).toMatchObject({ used: { clusters: 2 } });
});

it('a plan checks and reserves nothing, says what it would take, and is executed within the limit', async () => {
  await limit({ clusters: 1 });
  const body = { driver: 'fake', nodeGroups: [] };
  const plan = await harness.ask<{ readonly planToken: string }>(replicas[0], 'create', body, { dryRun: true });
  expect(plan).toMatchObject({ quotas: [{ name: 'clusters', limit: 1, used: 0, asked: 1 }] });
  expect(await events()).toEqual(['QuotaLimitsChanged']);
  await harness.ask(replicas[0], 'create', body, { planToken: plan.planToken });
  expect(await refusal(cluster(replicas[1], { dryRun: true }))).toMatchObject({ code: 'quota-exceeded' });
  expect(await harness.all('ClusterCreated')).toHaveLength(1);
});

it('limits have a revision and a plan', async () => {
  expect(await limit({ clusters: 3, keys: null }, { ifMatch: 1 })).toMatchObject({
    resource: { limits: { clusters: 3, keys: null }, revision: 2 },
  });
  expect(await refusal(limit({ clusters: 4 }, { ifMatch: 1 }))).toMatchObject({ code: 'revision-mismatch' });
  expect(await refusal(limit({ clusters: -1 }))).toMatchObject({ kind: 'invalid' });
  expect(await limit({ clusters: 9 }, { dryRun: true })).toMatchObject({
    events: [{ type: 'QuotaLimitsChanged', stream: QUOTA, data: { limits: { clusters: 9 } } }],
  });
  expect(await quotas()).toMatchObject({ limits: { clusters: 3 }, revision: 2 });
  const stranger: Actor = { keyId: 'k', role: 'reader', project: 'other' };
  expect(await refusal(project('quotas', { id: PROJECT }, { actor: stranger }))).toMatchObject({ code: 'not-found' });
});

it('a cluster takes its groups and their nodes with it, from its acceptance on', async () => {
  await limit({ nodeGroups: 2, nodes: 5, cpus: 10, memoryMb: 4096 });
  const flavor = { cpus: 2, memoryMb: 512 };
  const groups = (count: number) => ({
    nodeGroups: [
      { name: 'a', role: 'worker', count, flavor },
      { name: 'b', role: 'worker', count: 1, flavor },
    ],
  });
  expect(await refusal(cluster(replicas[0], {}, groups(5)))).toMatchObject({
    extra: {
      quotas: [
        { name: 'nodes', limit: 5, used: 0, asked: 6 },
        { name: 'cpus', limit: 10, used: 0, asked: 12 },
      ],
    },
  });
  await cluster(replicas[0], {}, groups(3));
  expect(await quotas()).toMatchObject({ used: { nodeGroups: 2, nodes: 4, cpus: 8, memoryMb: 2048 } });
  expect(await refusal(cluster(replicas[1], {}, groups(1)))).toMatchObject({ code: 'quota-exceeded' });
  await allSettled();
  for (const replica of replicas) expect(await quotas(replica)).toMatchObject({ used: { nodeGroups: 2, nodes: 4 } });
});

it('templates count with those inside them', async () => {
  await limit({ templates: 3 });
  const create = (resource: string, body: object): Promise<{ readonly resource: { readonly id: string } }> =>
    harness.request(replicas[0], commandSubject('cluster-service', resource, 'create'), body);
  const clusterTemplate = {
    name: 'shop',
    driver: 'fake',
    nodeGroups: [
      { name: 'a', role: 'worker' },
      { name: 'b', role: 'worker' },
    ],
  };
  const { resource } = await create('cluster-template', clusterTemplate);
  expect(await quotas()).toMatchObject({ used: { templates: 3 } });
  expect((await refusal(create('node-group-template', { name: 'c', role: 'worker' })))?.extra).toEqual({
    quotas: [{ name: 'templates', limit: 3, used: 3, asked: 1 }],
  });
  await harness.request(replicas[0], commandSubject('cluster-service', 'cluster-template', 'delete'), {
    id: resource.id,
  });
  await eventually(async () => (await quotas()).used['templates'] === 0, 'all of them are given back');
});

it('a change that was killed after its reservation gives the room back, and cannot come afterwards', async () => {
  const flavor = { cpus: 1, memoryMb: 512 };
  const { resource } = await cluster(
    replicas[0],
    {},
    { nodeGroups: [{ name: 'a', role: 'worker', count: 1, flavor }] },
  );
  const stream = await harness.groupOf(resource.id);
  await limit({ nodes: 4 });
  // the reservation of a change of long ago that never came
  await harness.append(QUOTA, {
    type: 'QuotaReserved',
    data: { id: `${stream}@0`, stream, after: 0, amounts: { nodeGroups: 1, nodes: 4, cpus: 4, memoryMb: 2048 } },
  });
  expect(await quotas()).toMatchObject({ used: { nodes: 4 } });
  await allSettled();
  expect((await harness.store.readStream(stream)).map(({ type }) => type)).toEqual([
    'NodeGroupCreated',
    'ChangeAbandoned',
  ]);
  for (const replica of replicas) expect(await quotas(replica)).toMatchObject({ used: { nodes: 1 } });
});
