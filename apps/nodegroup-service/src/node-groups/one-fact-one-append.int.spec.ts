import { v7 as uuidv7 } from 'uuid';
import { eventually } from '@stave/platform/testing';
import { groupSpec, PROJECT, type Replica } from '@stave/service-kit/testing';
import { NodeGroupHarness } from '../nodegroup.fixture.js';

let harness: NodeGroupHarness;
beforeEach(async () => {
  harness = await NodeGroupHarness.open();
});
afterEach(() => harness.close());

const count = async (type: string): Promise<number> => (await harness.all(type)).length;

const names = async (type: string): Promise<string[]> =>
  (await harness.all(type)).map(e => (e.data as { name: string }).name);
const active = (groups: number): Promise<unknown> =>
  harness.workUntil(async () => (await count('NodeGroupBecameActive')) >= groups, `${groups} groups are ACTIVE`);
const groupsRemoved = (): Promise<unknown> =>
  harness.workUntil(async () => (await count('ClusterGroupsRemoved')) === 1, 'the cluster has no groups');
async function expectNothingRemains(): Promise<void> {
  expect(await count('NodeDeleted')).toBe(await count('NodeDeclared'));
  expect(await count('NodeGroupDeleted')).toBe(await count('NodeGroupCreated'));
}
const create = (
  replica: Replica,
  clusterId: string,
  name: string,
  key?: string,
): Promise<{ resource: { id: string } }> =>
  replica.ask(
    'node-group',
    'create',
    { clusterId, name, role: 'worker', count: 1, flavor: { cpus: 1, memoryMb: 512 } },
    key === undefined ? {} : { idempotencyKey: key },
  );
const refusal = async (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => 'accepted',
    (e: { error?: { code: string } }) => e.error?.code ?? String(e),
  );

it('the groups of a cluster are created once, although the cluster is older than the service and the service restarts', async () => {
  await harness.cluster({ a: 2, b: 1 });
  const first = await harness.replica();
  await eventually(async () => (await count('NodeGroupRegistered')) > 0);
  await first.stop();
  const second = await harness.replica();
  await active(2);
  await second.stop();
  await harness.replica();
  await harness.cluster({ c: 1 });
  await active(3);
  expect((await names('NodeGroupCreated')).sort()).toEqual(['a', 'b', 'c']);
  expect((await names('NodeDeclared')).sort()).toEqual(['a-0', 'a-1', 'b-0', 'c-0']);
});

it('two leading replicas create nothing twice and write the same documents', async () => {
  const [one, two] = [await harness.replica(), await harness.replica()];
  await harness.cluster({ a: 5, b: 5 });
  await active(2);
  expect(await count('NodeGroupCreated')).toBe(2);
  expect(await count('NodeDeclared')).toBe(10);
  const list = (replica: Replica, resource: string): Promise<{ items: { id: string }[] }> =>
    replica.ask(resource, 'list', { filter: {}, limit: 100 }, { minPosition: head });
  const head = await harness.store.head();
  for (const resource of ['node-group', 'node'])
    expect((await list(one, resource)).items).toEqual((await list(two, resource)).items);
});

it('a group that was never created is unregistered with its cluster, and its late creation is refused', async () => {
  const replica = await harness.replica();
  const { id } = await harness.cluster({ a: 1 });
  await active(1);
  const abandoned = uuidv7();
  await harness.append(`clusterGroups-${id}`, {
    type: 'NodeGroupRegistered',
    data: { groupId: abandoned, name: 'abandoned' },
  });
  await harness.deleteCluster(id);
  await groupsRemoved();
  await expectNothingRemains();
  const data = {
    id: abandoned,
    clusterId: id,
    projectId: PROJECT,
    name: 'abandoned',
    spec: groupSpec(1),
    operationId: 'x',
  };
  const [event] = [
    { id: uuidv7(), type: 'NodeGroupCreated', data, metadata: { schemaVersion: 1, time: '', correlationId: '' } },
  ];
  await expect(harness.store.append(`nodeGroup-${abandoned}`, [event], 'no_stream')).rejects.toThrow(
    'expected no_stream',
  );
  expect(await refusal(create(replica, id, 'late'))).not.toBe('accepted');
});

it('the groups of a cluster that is deleted before it was built are removed', async () => {
  await harness.replica();
  const { id } = await harness.cluster({ a: 3 }, false);
  await eventually(async () => (await count('NodeDeclared')) === 3);
  await harness.deleteCluster(id);
  await eventually(async () => (await count('ClusterGroupsRemoved')) === 1);
  await expectNothingRemains();
});

it('the groups of a cluster that is deleted while two leading replicas create them are removed', async () => {
  await harness.replica();
  await harness.replica();
  const { id } = await harness.cluster({ a: 3, b: 3, c: 3 });
  await harness.deleteCluster(id);
  await groupsRemoved();
  await expectNothingRemains();
});

it('the name of a group that was never created is freed, and its late creation is refused', async () => {
  const replica = await harness.replica();
  const { id } = await harness.cluster({});
  const abandoned = uuidv7();
  await harness.append(`clusterGroups-${id}`, {
    type: 'NodeGroupRegistered',
    data: { groupId: abandoned, name: 'web' },
  });
  const { resource } = await create(replica, id, 'WEB');
  expect(await refusal(create(replica, id, 'web'))).toBe('name-taken');
  expect((await harness.store.readStream(`nodeGroup-${abandoned}`)).map(e => e.type)).toEqual(['CreationAbandoned']);
  expect((await harness.store.readStream(`nodeGroup-${resource.id}`))[0]?.type).toBe('NodeGroupCreated');
});

it('the names of the groups in a cluster request are reserved before the groups are created', async () => {
  const { id } = await harness.cluster({ web: 1 });
  const replica = await harness.replica();
  expect(await refusal(create(replica, id, 'Web'))).toBe('name-taken');
});

it('one idempotency key creates one group, also when two replicas get the request concurrently', async () => {
  const [one, two] = [await harness.replica(), await harness.replica()];
  const { id } = await harness.cluster({});
  const ids = await Promise.all([one, two, one, two].map(async r => (await create(r, id, 'web', 'key-1')).resource.id));
  expect(new Set(ids).size).toBe(1);
  expect(await count('NodeGroupCreated')).toBe(1);
});
