import type { CommandResult, RequestMeta } from '@stave/contracts';
import { type Replica } from '@stave/service-kit/testing';
import { NodeGroupHarness } from '../nodegroup.fixture.js';

let harness: NodeGroupHarness;
let replica: Replica;
let clusterId: string;
let group: string;
beforeEach(async () => {
  harness = await NodeGroupHarness.open();
  replica = await harness.replica();
  const cluster = await harness.cluster({ w: 2 });
  clusterId = cluster.id;
  group = cluster.groupIds[0] ?? '';
  await harness.workUntil(() => has('NodeGroupBecameActive'), 'the group is ACTIVE');
});
afterEach(() => harness.close());

const has = async (type: string, count = 1): Promise<boolean> => (await harness.all(type)).length >= count;

type Meta = Partial<RequestMeta>;
const onGroup = (verb: string, body: object = {}, meta: Meta = {}): Promise<CommandResult> =>
  replica.ask('node-group', verb, { id: 'w', clusterId, ...body }, meta);
const patch = (body: object, meta?: Meta): Promise<CommandResult> => onGroup('patch', { patch: body }, meta);
const onNode = (id: string, verb: string, body: object = {}, meta: Meta = {}): Promise<CommandResult> =>
  replica.ask('node', verb, { id, ...body }, meta);

it('concurrent patches of a node group are all applied', async () => {
  const second = await harness.replica();
  const patches = Array.from({ length: 50 }, (_, i) => ({ id: group, patch: { labels: { [`m${i}`]: 'v' } } }));
  await Promise.all(patches.map((body, i) => [replica, second][i % 2]!.ask('node-group', 'patch', body)));
  const { resource } = await patch({ maxCount: 9 });
  expect(Object.keys(resource['labels'] as object)).toHaveLength(50);
});

it('a merge patch with null removes a member of a node group or restores its default', async () => {
  await patch({ minCount: 1, maxCount: 5, labels: { a: '1', b: '2' } });
  expect((await patch({ minCount: null, labels: { a: null } })).resource).toMatchObject({
    minCount: 0,
    maxCount: 5,
    labels: { b: '2' },
  });
  const { resource } = await patch({ maxCount: null, labels: null });
  expect(resource['labels']).toEqual({});
  expect(resource['maxCount'] ?? null).toBeNull();
});

it('a patch whose result exceeds the limits of a creation is refused', async () => {
  const labels = (prefix: string, count: number): object =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i}`, 'v']));
  await patch({ labels: labels('a', 64) });
  await expect(patch({ labels: { more: 'v' } })).rejects.toMatchObject({
    error: { kind: 'rule', errors: [{ pointer: '/labels' }] },
  });
  await patch({ labels: { a0: null, more: 'v' } });
});

it('repeated changes get the answers of the first requests, although the group is deleted', async () => {
  const [node = ''] = await harness.nodeIds();
  const commands: (() => Promise<CommandResult>)[] = [
    () => patch({ labels: { a: '1' } }, { idempotencyKey: 'patch' }),
    () => onNode(node, 'action', { action: 'cordon' }, { idempotencyKey: 'cordon' }),
    () => onGroup('action', { action: 'resize', count: 3 }, { idempotencyKey: 'resize' }),
    () => onNode(node, 'delete', {}, { idempotencyKey: 'node' }),
    () => onGroup('delete', {}, { idempotencyKey: 'delete' }),
  ];
  const first: CommandResult[] = [];
  for (const command of commands) first.push(await command());
  await harness.workUntil(() => has('NodeGroupDeleted'), 'the group is deleted');
  const count = (await harness.all()).length;
  for (const [i, command] of commands.entries()) expect(await command()).toEqual(first[i]);
  expect(await harness.all()).toHaveLength(count);
  await expect(onGroup('delete')).rejects.toMatchObject({ error: { kind: 'not-found' } });
});

it('a repeated creation gets the answer of the first request, although the cluster is being deleted', async () => {
  const body = { clusterId, name: 'late', role: 'worker', count: 0, flavor: { cpus: 1, memoryMb: 512 } };
  const create = (): Promise<CommandResult> => replica.ask('node-group', 'create', body, { idempotencyKey: 'create' });
  const first = await create();
  await harness.deleteCluster(clusterId);
  await harness.workUntil(() => has('NodeGroupDeleted', 2), 'both groups are deleted');
  expect(await create()).toEqual(first);
});

it('a repeated cancellation is answered after the operation has ended', async () => {
  const { operationId } = await onGroup('action', { action: 'resize', count: 4 });
  const cancel = (meta: Meta): Promise<object> => replica.ask('operation', 'cancel', { id: operationId }, meta);
  await cancel({ idempotencyKey: 'cancel' });
  const hasEnded = async (): Promise<boolean> =>
    (await harness.all('OperationEnded')).some(e => (e.data as { operationId: string }).operationId === operationId);
  await harness.workUntil(hasEnded, 'the operation has ended');
  expect(await cancel({ idempotencyKey: 'cancel' })).toMatchObject({ id: operationId });
  await expect(cancel({})).rejects.toMatchObject({ error: { code: 'operation-ended' } });
});

it('the end of a superseded operation is recorded under its own id', async () => {
  const ids: (string | undefined)[] = [];
  for (const count of [3, 4, 1, 2]) ids.push((await onGroup('action', { action: 'resize', count })).operationId);
  const ended = async (): Promise<readonly [string, string | undefined][]> =>
    (await harness.all('OperationEnded')).map(e => [
      (e.data as { operationId: string }).operationId,
      e.metadata.operationId,
    ]);
  const allEnded = async (): Promise<boolean> =>
    (await ended()).filter(([id]) => ids.includes(id)).length === ids.length;
  await harness.workUntil(allEnded, 'all operations have ended');
  for (const [id, recorded] of await ended()) expect(recorded).toBe(id);
});
