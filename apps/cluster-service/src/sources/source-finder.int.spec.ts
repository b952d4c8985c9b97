import type { Actor, ServiceError } from '@stave/contracts';
import { RingView } from '@stave/domain';
import { Feed, Names } from '@stave/service-kit';
import { ClusterLookup } from '../clusters/cluster.lookup.js';
import { ClusterProjection } from '../clusters/cluster.projection.js';
import { ClustersHarness, PROJECT } from '../clusters/clusters.fixture.js';
import { SourceFinder, type FoundSources, type FromRequest } from './source-finder.js';
import { clusterRequest, type ClusterInput } from '../clusters/cluster-request.js';
import { resolveClusterRequest } from '../clusters/resolve-cluster-request.js';
import { TemplateLookup } from '../templates/template.lookup.js';
import { TemplateProjection } from '../templates/template.projection.js';

const actor: Actor = { keyId: 'k', role: 'member', project: PROJECT };
const stranger: Actor = { ...actor, project: 'p2' };
const uuid = (n: number): string => `0198c5a0-0000-7000-8000-${String(n).padStart(12, '0')}`;
const flavor = { cpus: 1, memoryMb: 512 };
const groupSpec = {
  role: 'worker',
  count: 2,
  minCount: 0,
  flavor,
  zones: [],
  labels: {},
  taints: [],
  conductorGroup: null,
  options: {},
};
const clusterSpec = { driver: 'fake', driverVersion: '1.0.0', conductorGroup: '', network: {}, api: {}, labels: {} };

let harness: ClustersHarness;
let feed: Feed;
let sources: SourceFinder;
/** Runs while a lookup waits for the feed. */
let meanwhile: () => Promise<void>;

beforeEach(async () => {
  harness = await ClustersHarness.open();
  feed = new Feed({ store: harness.store, onError: () => undefined });
  const [clusters, templates] = [new ClusterProjection(harness.store), new TemplateProjection(harness.store)];
  for (const projection of [clusters, templates]) projection.follow(feed, () => undefined);
  await feed.start();
  meanwhile = async () => undefined;
  const caughtUp = async (): Promise<void> => {
    await meanwhile();
    await feed.caughtUp();
  };
  const waiting = { caughtUp } as Feed;
  const names = new Names(harness.store);
  const lookup = new TemplateLookup(names, waiting, templates);
  sources = new SourceFinder(waiting, clusters, new ClusterLookup(names, clusters), templates, lookup);
});
afterEach(async () => {
  await feed.close();
  await harness.close();
});

const declared = (id: number, name: string): object => ({ id: uuid(id), name, spec: groupSpec });
async function cluster(id: number, groups: readonly object[], projectId = PROJECT): Promise<void> {
  const operation = { id: `c-${id}`, kind: 'cluster.create', total: 1 };
  const spec = { ...clusterSpec, defaults: {}, options: { size: 1 } };
  const data = { id: uuid(id), name: `c${id}`, projectId, spec, groups, operation };
  await harness.append(`cluster-${uuid(id)}`, { type: 'ClusterCreated', data });
}
async function group(id: number, name: string, clusterId: number, projectId = PROJECT): Promise<void> {
  const data = { ...declared(id, name), clusterId: uuid(clusterId), projectId, operationId: 'op' };
  await harness.append(`nodeGroup-${uuid(id)}`, { type: 'NodeGroupCreated', data });
}
const contents = { attributes: {}, immutableAttributes: [], locked: {} };
async function template(id: number, groups: readonly object[] = [], more: object = {}): Promise<void> {
  const data = { ...contents, id: uuid(id), name: `t${id}`, projectId: PROJECT, groups, ...more };
  await harness.append(`clusterTemplate-${uuid(id)}`, { type: 'ClusterTemplateCreated', data });
}
async function groupTemplate(id: number, name: string, clusterTemplate: number | null, more = {}): Promise<void> {
  const clusterTemplateId = clusterTemplate === null ? null : uuid(clusterTemplate);
  const data = { ...contents, id: uuid(id), name, projectId: PROJECT, clusterTemplateId, ...more };
  await harness.append(`nodeGroupTemplate-${uuid(id)}`, { type: 'NodeGroupTemplateCreated', data });
}
const refusal = async (attempt: Promise<unknown>): Promise<ServiceError | undefined> =>
  attempt.then(
    () => undefined,
    (e: { error: ServiceError }) => e.error,
  );

const all = (by: Actor, request: FromRequest): Promise<FoundSources> => sources.all(by, request, found => found);

it('a cluster as source has all attributes except name and driver version, and its groups that are not being deleted', async () => {
  await cluster(1, [declared(11, 'made'), declared(12, 'awaited'), declared(13, 'going')]);
  await group(11, 'made', 1);
  await group(13, 'going', 1);
  await group(14, 'later', 1);
  const operation = { id: 'n-1', kind: 'node-group.resize', total: 1 };
  await harness.append(`nodeGroup-${uuid(11)}`, { type: 'NodeGroupResized', data: { count: 5, operation } });
  await harness.append(`nodeGroup-${uuid(13)}`, { type: 'NodeGroupDeletionRequested', data: { operationId: 'op' } });
  const source = await sources.cluster(actor, { cluster: uuid(1) }, '/from');
  expect(source.ref).toEqual({ type: 'cluster', id: uuid(1), name: 'c1' });
  expect(source.attributes).toEqual({
    driver: 'fake',
    conductorGroup: '',
    network: {},
    api: {},
    labels: {},
    defaults: {},
    options: { size: 1 },
  });
  expect(source.groups.map(g => [g.ref.name, g.attributes.count, g.driver])).toEqual([
    ['made', 5, 'fake'],
    ['awaited', 2, 'fake'],
    ['later', 2, 'fake'],
  ]);
});

it('a cluster template as source has its current attributes, its immutable marks, and the node group templates inside', async () => {
  const declaration = { ...contents, id: uuid(21), name: 'awaited' };
  const by = { type: 'clusterTemplate', id: uuid(9), name: 't9' };
  await template(2, [declaration], { attributes: { driver: 'fake' }, locked: { driver: by } });
  const updated = { attributes: { driver: 'fake', labels: { a: 'b' } }, immutableAttributes: ['labels'] };
  await harness.append(`clusterTemplate-${uuid(2)}`, { type: 'ClusterTemplateUpdated', data: updated });
  await groupTemplate(22, 'came', null, { immutableAttributes: ['flavor'] });
  await groupTemplate(23, 'left', 2);
  await groupTemplate(24, 'alone', null);
  const move = (id: number, clusterTemplateId: string | null, marked: readonly string[] = []): Promise<void> =>
    harness.append(`nodeGroupTemplate-${uuid(id)}`, {
      type: 'NodeGroupTemplateUpdated',
      data: { attributes: { flavor }, immutableAttributes: marked, clusterTemplateId },
    });
  await move(22, uuid(2), ['flavor']);
  await move(23, null);
  const source = await sources.cluster(actor, { clusterTemplate: uuid(2) }, '/from');
  const ref = { type: 'clusterTemplate', id: uuid(2), name: 't2' };
  expect(source).toMatchObject({ ref, attributes: updated.attributes, marks: { driver: by, labels: ref } });
  const came = { type: 'nodeGroupTemplate', id: uuid(22), name: 'came' };
  expect(source.groups).toEqual([
    { ref: { type: 'nodeGroupTemplate', id: uuid(21), name: 'awaited' }, attributes: {}, marks: {} },
    { ref: came, attributes: { flavor }, marks: { flavor: came } },
  ]);
});

it('every source that cannot be used is reported at its pointer', async () => {
  await cluster(1, [], 'p2');
  const nodeGroups = [
    { from: { nodeGroup: 'none' } },
    {},
    { from: { nodeGroupTemplate: uuid(5) } },
    { from: { nodeGroup: uuid(6) } },
  ];
  await cluster(3, [declared(6, 'web')]);
  await group(6, 'web', 3);
  await harness.append(`nodeGroup-${uuid(6)}`, { type: 'NodeGroupDeletionRequested', data: { operationId: 'op' } });
  const said = await refusal(all(actor, { from: { cluster: uuid(1) }, nodeGroups }));
  expect(said).toMatchObject({ kind: 'rule', code: 'validation-failed' });
  expect(said?.errors?.map(e => [e.pointer, e.code])).toEqual([
    ['/from/cluster', 'not-found'],
    ['/nodeGroups/0/from/nodeGroup', 'not-found'],
    ['/nodeGroups/2/from/nodeGroupTemplate', 'not-found'],
    ['/nodeGroups/3/from/nodeGroup', 'being-deleted'],
  ]);
  expect(await refusal(sources.nodeGroup(stranger, { nodeGroup: uuid(6) }, '/from'))).toMatchObject({
    code: 'not-found',
    kind: 'rule',
  });
});

it('a source cluster that is being deleted is a conflict, and so are its groups', async () => {
  await cluster(1, [declared(11, 'web')]);
  await group(11, 'web', 1);
  const operation = { id: 'c-2', kind: 'cluster.delete', total: 1 };
  await harness.append(`cluster-${uuid(1)}`, { type: 'ClusterDeletionRequested', data: { operation } });
  const attempts = [
    all(actor, { from: { cluster: uuid(1) } }),
    sources.nodeGroup(actor, { nodeGroup: 'web' }, '/from'),
  ];
  for (const attempt of attempts)
    expect(await refusal(attempt)).toMatchObject({ kind: 'conflict', code: 'being-deleted' });
});

it('the name of several node groups is refused as source, with the candidates', async () => {
  for (const id of [1, 2]) {
    await cluster(id, []);
    await group(10 + id, 'web', id);
  }
  expect(await refusal(all(actor, { nodeGroups: [{ from: { nodeGroup: 'web' } }] }))).toMatchObject({
    kind: 'conflict',
    code: 'ambiguous-name',
    errors: [{ pointer: '/nodeGroups/0/from/nodeGroup' }],
    extra: { candidates: [uuid(11), uuid(12)] },
  });
});

it('the name of a source node group is looked up in the source cluster first', async () => {
  for (const id of [1, 2]) {
    await cluster(id, []);
    await group(10 + id, 'web', id);
  }
  await group(15, 'only', 1);
  const nodeGroups = [{ from: { nodeGroup: 'web' } }, { from: { nodeGroup: 'only' } }];
  const { groups } = await all(actor, { from: { cluster: uuid(2) }, nodeGroups });
  expect(groups.map(g => g?.ref.id)).toEqual([uuid(12), uuid(15)]);
});

it('a source that cannot be used is reported together with other problems', async () => {
  const nodeGroups = [{ name: 'a' }, { name: 'b', from: { nodeGroup: 'gone' } }];
  const ring = new RingView();
  const ids = { project: 'p1', cluster: uuid(1), group: () => uuid(2) };
  const said = async (body: ClusterInput): Promise<unknown> => {
    const planned = sources.all(actor, body, found =>
      resolveClusterRequest(ring, undefined, clusterRequest(body, found), ids),
    );
    return (await refusal(planned))?.errors?.map(e => `${e.pointer} ${e.code}`);
  };
  expect(await said({ nodeGroups })).toEqual([
    '/nodeGroups/1/from/nodeGroup not-found',
    '/driver required',
    '/nodeGroups/0/role required',
    '/nodeGroups/0/flavor required',
  ]);
  const omitNodeGroups = ['x'];
  const counts = { minCount: 2, maxCount: 1 };
  expect(await said({ from: { cluster: 'gone' }, omitNodeGroups, nodeGroups: [{ name: 'a', ...counts }] })).toEqual([
    '/from/cluster not-found',
    '/nodeGroups/0/minCount min-above-max',
  ]);
});

it('a source that is deleted concurrently with its groups is used completely or refused', async () => {
  await template(1, [{ ...contents, id: uuid(11), name: 'web' }]);
  await groupTemplate(11, 'web', 1);
  meanwhile = async () => {
    meanwhile = async () => undefined;
    await harness.append(`clusterTemplate-${uuid(1)}`, { type: 'ClusterTemplateDeleted', data: {} });
    await harness.append(`nodeGroupTemplate-${uuid(11)}`, { type: 'NodeGroupTemplateDeleted', data: {} });
  };
  const said = await refusal(sources.cluster(actor, { clusterTemplate: uuid(1) }, '/from'));
  expect(said).toMatchObject({ kind: 'rule', code: 'not-found', errors: [{ pointer: '/from/clusterTemplate' }] });

  await cluster(2, [declared(21, 'web')]);
  await group(21, 'web', 2);
  meanwhile = async () => {
    meanwhile = async () => undefined;
    const operation = { id: 'c-9', kind: 'cluster.delete', total: 1 };
    await harness.append(`cluster-${uuid(2)}`, { type: 'ClusterDeletionRequested', data: { operation } });
    await harness.append(`nodeGroup-${uuid(21)}`, { type: 'NodeGroupDeletionRequested', data: { operationId: 'c-9' } });
  };
  const going = await refusal(sources.cluster(actor, { cluster: uuid(2) }, '/from'));
  expect(going).toMatchObject({ kind: 'conflict', code: 'being-deleted' });
});
