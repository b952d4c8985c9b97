import { RefusedError } from '@stave/contracts';
import { v7 as uuidv7 } from 'uuid';
import { eventually } from '@stave/platform/testing';
import { groupSpec, PROJECT, World, type Replica } from '../nodegroup.fixture.js';

let world: World;
beforeEach(async () => {
  world = await World.open();
});
afterEach(() => world.close());

const count = async (type: string): Promise<number> => (await world.all(type)).length;

/** Conductors work until the check holds. */
const workUntil = (what: string, check: () => Promise<boolean>): Promise<unknown> =>
  eventually(async () => {
    // a node may be given up between its claim and its report, as in real life: the next round looks again
    await world.workOnce().catch((error: unknown) => {
      if (!(error instanceof RefusedError)) throw error;
    });
    return check();
  }, what);
const names = async (type: string): Promise<string[]> =>
  (await world.all(type)).map(e => (e.data as { name: string }).name);
const emptied = (): Promise<unknown> =>
  workUntil('the cluster is empty', async () => (await count('ClusterGroupsRemoved')) === 1);
/** Everything declared was deleted again. */
async function nothingRemains(): Promise<void> {
  expect(await count('NodeDeleted')).toBe(await count('NodeDeclared'));
  expect(await count('NodeGroupDeleted')).toBe(await count('NodeGroupCreated'));
}
const create = (
  replica: Replica,
  clusterId: string,
  name: string,
  key?: string,
): Promise<{ resource: { id: string } }> =>
  world.ask(
    replica,
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

it('makes the groups of a cluster that came before the service did, once, whatever stops in between', async () => {
  await world.cluster({ a: 2, b: 1 });
  const first = await world.replica();
  await eventually(async () => (await count('NodeGroupRegistered')) > 0);
  await first.stop();
  const second = await world.replica();
  await workUntil('active', async () => (await count('NodeGroupBecameActive')) === 2);
  await second.stop();
  await world.replica();
  await world.cluster({ c: 1 });
  await workUntil('active', async () => (await count('NodeGroupBecameActive')) === 3);
  expect((await names('NodeGroupCreated')).sort()).toEqual(['a', 'b', 'c']);
  expect((await names('NodeDeclared')).sort()).toEqual(['a-0', 'a-1', 'b-0', 'c-0']);
});

it('two replicas that both lead make nothing twice and write the same documents', async () => {
  const [one, two] = [await world.replica(), await world.replica()];
  await world.cluster({ a: 5, b: 5 });
  await workUntil('active', async () => (await count('NodeGroupBecameActive')) >= 2);
  expect(await count('NodeGroupCreated')).toBe(2);
  expect(await count('NodeDeclared')).toBe(10);
  const list = (replica: Replica, resource: string): Promise<{ items: { id: string }[] }> =>
    world.ask(replica, resource, 'list', { filter: {}, limit: 100 }, { minPosition: head });
  const head = await world.store.head();
  for (const resource of ['node-group', 'node'])
    expect((await list(one, resource)).items).toEqual((await list(two, resource)).items);
});

it('a group registered by a writer that died goes with the cluster, and its writer is refused', async () => {
  const replica = await world.replica();
  const { id } = await world.cluster({ a: 1 });
  await workUntil('active', async () => (await count('NodeGroupBecameActive')) === 1);
  const ghost = uuidv7();
  await world.append(`clusterGroups-${id}`, { type: 'NodeGroupRegistered', data: { groupId: ghost, name: 'ghost' } });
  await world.deleteCluster(id);
  await emptied();
  await nothingRemains();
  const data = { id: ghost, clusterId: id, projectId: PROJECT, name: 'ghost', spec: groupSpec(1), operationId: 'x' };
  const [event] = [
    { id: uuidv7(), type: 'NodeGroupCreated', data, metadata: { schemaVersion: 1, time: '', correlationId: '' } },
  ];
  await expect(world.store.append(`nodeGroup-${ghost}`, [event], 'no_stream')).rejects.toThrow('expected no_stream');
  expect(await refusal(create(replica, id, 'late'))).not.toBe('accepted');
});

it('a cluster can go before it was built', async () => {
  await world.replica();
  const { id } = await world.cluster({ a: 3 }, false);
  await eventually(async () => (await count('NodeDeclared')) === 3);
  await world.deleteCluster(id);
  await eventually(async () => (await count('ClusterGroupsRemoved')) === 1);
  await nothingRemains();
});

it('a cluster can go while its groups are being made, by replicas that both lead', async () => {
  await world.replica();
  await world.replica();
  const { id } = await world.cluster({ a: 3, b: 3, c: 3 });
  await world.deleteCluster(id);
  await emptied();
  await nothingRemains();
});

it('the name of a group whose writer died comes free, and that writer is refused', async () => {
  const replica = await world.replica();
  const { id } = await world.cluster({});
  const ghost = uuidv7();
  await world.append(`clusterGroups-${id}`, { type: 'NodeGroupRegistered', data: { groupId: ghost, name: 'web' } });
  const { resource } = await create(replica, id, 'WEB');
  expect(await refusal(create(replica, id, 'web'))).toBe('name-taken');
  expect((await world.store.readStream(`nodeGroup-${ghost}`)).map(e => e.type)).toEqual(['CreationAbandoned']);
  expect((await world.store.readStream(`nodeGroup-${resource.id}`))[0]?.type).toBe('NodeGroupCreated');
});

it('the names that a cluster was asked for with are taken before its groups are made', async () => {
  const { id } = await world.cluster({ web: 1 });
  const replica = await world.replica();
  expect(await refusal(create(replica, id, 'Web'))).toBe('name-taken');
});

it('a key sent again finishes and answers the same, also at the same time to two replicas', async () => {
  const [one, two] = [await world.replica(), await world.replica()];
  const { id } = await world.cluster({});
  const ids = await Promise.all([one, two, one, two].map(async r => (await create(r, id, 'web', 'key-1')).resource.id));
  expect(new Set(ids).size).toBe(1);
  expect(await count('NodeGroupCreated')).toBe(1);
});
