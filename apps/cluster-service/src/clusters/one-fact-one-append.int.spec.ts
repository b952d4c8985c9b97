import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { eventually } from '@stave/platform/testing';

import { ClustersHarness, PROJECT, type Replica } from './clusters.fixture.js';

interface Accepted {
  readonly resource: { readonly id: string; readonly name: string };
  readonly operationId: string;
}

let harness: ClustersHarness;
beforeEach(async () => {
  harness = await ClustersHarness.open();
});
afterEach(() => harness.close());

const group = { name: 'web', role: 'worker', flavor: { cpus: 1, memoryMb: 512 } };
const create = (replica: Replica, name?: string, idempotencyKey?: string): Promise<Accepted> =>
  harness.ask(
    replica,
    'create',
    { driver: 'fake', nodeGroups: [group], ...(name === undefined ? {} : { name }) },
    idempotencyKey === undefined ? {} : { idempotencyKey },
  );
const refusal = (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => 'accepted',
    (e: { error?: { code: string } }) => e.error?.code ?? String(e),
  );
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const nameStream = (name: string): string => {
  const scope = `${PROJECT}|cluster`;
  return `name-${sha256(`${scope.length}:${scope}${name}`).slice(0, 32)}`;
};

it('a cluster and its groups are created in one event', async () => {
  const { resource, operationId } = await create(await harness.replica());
  const events = await harness.store.readStream(`cluster-${resource.id}`);
  expect(events).toMatchObject([
    {
      type: 'ClusterCreated',
      data: { groups: [{ name: 'web', spec: { count: 1, role: 'worker' } }], operation: { id: operationId } },
    },
  ]);
});

it('zones are stored in one form, in whichever form a request gives them', async () => {
  const zones = ['a', { name: 'b', region: 'eu' }];
  await harness.ask(await harness.replica(), 'create', { driver: 'fake', defaults: { zones }, nodeGroups: [group] });
  const [created] = await harness.all('ClusterCreated');
  const kept = [{ name: 'a' }, { name: 'b', region: 'eu' }];
  expect(created?.data).toMatchObject({ spec: { defaults: { zones: kept } }, groups: [{ spec: { zones: kept } }] });
});

it('one of two replicas that get concurrent requests for a name creates the cluster', async () => {
  const replicas = [await harness.replica(), await harness.replica()];
  const said = await Promise.all(Array.from({ length: 8 }, (_, i) => refusal(create(replicas[i % 2]!, 'alpha'))));
  expect(said.sort()).toEqual(['accepted', ...Array<string>(7).fill('name-taken')]);
  expect(await harness.all('ClusterCreated')).toHaveLength(1);
});

it('a name that an interrupted creation reserved is free for the next request, and the late creation is refused', async () => {
  const lost = uuidv7();
  await harness.append(nameStream('alpha'), {
    type: 'NameReserved',
    data: { targetId: lost, targetStream: `cluster-${lost}`, name: 'alpha' },
  });
  const { resource } = await create(await harness.replica(), 'alpha');
  expect(resource.id).not.toBe(lost);
  expect((await harness.store.readStream(`cluster-${lost}`)).map(e => e.type)).toEqual(['CreationAbandoned']);
});

it('a repeat of an interrupted creation completes it under the same ids', async () => {
  const first = await harness.replica();
  const done = await create(first, 'alpha', 'key');
  const [request] = await harness.all('RequestAccepted');
  if (!request) throw new Error('the request was not remembered');
  const ids = request.data as { resourceId: string; operationId: string };
  expect([done.resource.id, done.operationId]).toEqual([ids.resourceId, ids.operationId]);

  // the same request where the process ended after it was remembered
  const half = await ClustersHarness.open();
  const replica = await half.replica();
  // with its time: a key is forgotten after a day
  const { id, type, data, metadata, stream } = request;
  await half.store.append(stream, [{ id, type, data: { ...Object(data) }, metadata }], 'no_stream');
  const ask = (): Promise<Accepted> =>
    half.ask(replica, 'create', { driver: 'fake', nodeGroups: [group], name: 'alpha' }, { idempotencyKey: 'key' });
  const answers = [await ask(), await ask()];
  expect(answers.map(a => [a.resource.id, a.operationId])).toEqual([
    [ids.resourceId, ids.operationId],
    [ids.resourceId, ids.operationId],
  ]);
  expect(await half.all('ClusterCreated')).toHaveLength(1);
  await half.close();
});

it('two replicas create one cluster for one idempotency key, with the same answer', async () => {
  const replicas = [await harness.replica(), await harness.replica()];
  const answers = await Promise.all(Array.from({ length: 6 }, (_, i) => create(replicas[i % 2]!, undefined, 'key')));
  expect(new Set(answers.map(a => a.resource.id)).size).toBe(1);
  expect(await harness.all('ClusterCreated')).toHaveLength(1);
});

it('a name is free again after the deletion of its cluster, also when the service crashes afterwards', async () => {
  const replica = await harness.replica();
  const { resource } = await create(replica, 'alpha');
  await replica.stop();
  await harness.append(`cluster-${resource.id}`, { type: 'ClusterDeleted', data: {} });
  const next = await create(await harness.replica(), 'alpha');
  expect(next.resource.id).not.toBe(resource.id);
});

it('two leading replicas append each consequence once', async () => {
  const ROUNDS = 5;
  await harness.replica();
  const { resource } = await create(await harness.replica());
  await harness.built(resource.id);
  const groupStream = await harness.groupOf(resource.id);
  const said = async (type: string): Promise<number> => (await harness.all(type)).length;
  for (let round = 1; round <= ROUNDS; round++) {
    await harness.append(groupStream, { type: 'NodeGroupBecameActive', data: { clusterId: resource.id } });
    await eventually(async () => (await said('ClusterBecameActive')) >= round, 'it is active');
    const data = { clusterId: resource.id, reason: `round ${round}`, failed: false };
    await harness.append(groupStream, { type: 'NodeGroupDegraded', data });
    await eventually(async () => (await said('ClusterDegraded')) >= round, 'it is degraded');
  }
  expect([await said('ClusterBecameActive'), await said('ClusterDegraded')]).toEqual([ROUNDS, ROUNDS]);
  expect(await said('OperationEnded')).toBe(1);
});
