import { RefusedError, type CommandResult, type RequestMeta } from '@stave/contracts';
import { eventually } from '@stave/platform/testing';
import { World, type Replica } from '../nodegroup.fixture.js';

let world: World;
let replica: Replica;
let clusterId: string;
let group: string;
beforeEach(async () => {
  world = await World.open();
  replica = await world.replica();
  const cluster = await world.cluster({ w: 2 });
  clusterId = cluster.id;
  group = cluster.groupIds[0] ?? '';
  await work('the group is whole', () => has('NodeGroupBecameActive'));
});
afterEach(() => world.close());

const has = async (type: string, count = 1): Promise<boolean> => (await world.all(type)).length >= count;
const work = (what: string, check: () => Promise<boolean>): Promise<true> =>
  eventually(async () => {
    // a node may be given up between its claim and its report, as in real life: the next round looks again
    await world.workOnce().catch((error: unknown) => {
      if (!(error instanceof RefusedError)) throw error;
    });
    return check();
  }, what);

type Meta = Partial<RequestMeta>;
const onGroup = (verb: string, body: object = {}, meta: Meta = {}): Promise<CommandResult> =>
  world.ask(replica, 'node-group', verb, { id: 'w', clusterId, ...body }, meta);
const patch = (body: object, meta?: Meta): Promise<CommandResult> => onGroup('patch', { patch: body }, meta);
const onNode = (id: string, verb: string, body: object = {}, meta: Meta = {}): Promise<CommandResult> =>
  world.ask(replica, 'node', verb, { id, ...body }, meta);
const firstNode = async (): Promise<string> => (await world.all('NodeDeclared'))[0]?.stream.slice('node-'.length) ?? '';

it('changes at once all stand', async () => {
  const second = await world.replica();
  const patches = Array.from({ length: 50 }, (_, i) => ({ id: group, patch: { labels: { [`m${i}`]: 'v' } } }));
  await Promise.all(patches.map((body, i) => world.ask([replica, second][i % 2]!, 'node-group', 'patch', body)));
  const { resource } = await patch({ maxCount: 9 });
  expect(Object.keys(resource['labels'] as object)).toHaveLength(50);
});

it('a patch is a merge patch: null removes, or goes back to the default', async () => {
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

it('a patch keeps to the limits of a creation', async () => {
  const labels = (prefix: string, count: number): object =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i}`, 'v']));
  await patch({ labels: labels('a', 64) });
  await expect(patch({ labels: { more: 'v' } })).rejects.toMatchObject({
    error: { kind: 'rule', errors: [{ pointer: '/labels' }] },
  });
  await patch({ labels: { a0: null, more: 'v' } });
});

it('repeats of changes answer as the first did, though the group is gone', async () => {
  const node = await firstNode();
  const commands: (() => Promise<CommandResult>)[] = [
    () => patch({ labels: { a: '1' } }, { idempotencyKey: 'patch' }),
    () => onNode(node, 'action', { action: 'cordon' }, { idempotencyKey: 'cordon' }),
    () => onGroup('action', { action: 'resize', count: 3 }, { idempotencyKey: 'resize' }),
    () => onNode(node, 'delete', {}, { idempotencyKey: 'node' }),
    () => onGroup('delete', {}, { idempotencyKey: 'delete' }),
  ];
  const first: CommandResult[] = [];
  for (const command of commands) first.push(await command());
  await work('the group is gone', () => has('NodeGroupDeleted'));
  const count = (await world.all()).length;
  for (const [i, command] of commands.entries()) expect(await command()).toEqual(first[i]);
  expect(await world.all()).toHaveLength(count);
  await expect(onGroup('delete')).rejects.toMatchObject({ error: { kind: 'not-found' } });
});

it('a repeat of a creation is answered though its cluster is gone', async () => {
  const body = { clusterId, name: 'late', role: 'worker', count: 0, flavor: { cpus: 1, memoryMb: 512 } };
  const create = (): Promise<CommandResult> =>
    world.ask(replica, 'node-group', 'create', body, { idempotencyKey: 'create' });
  const first = await create();
  await world.deleteCluster(clusterId);
  await work('the groups are gone', () => has('NodeGroupDeleted', 2));
  expect(await create()).toEqual(first);
});

it('a repeated cancellation is accepted again', async () => {
  const { operationId } = await onGroup('action', { action: 'resize', count: 4 });
  const cancel = (meta: Meta): Promise<object> => world.ask(replica, 'operation', 'cancel', { id: operationId }, meta);
  await cancel({ idempotencyKey: 'cancel' });
  await work('it has ended', async () =>
    (await world.all('OperationEnded')).some(e => (e.data as { operationId: string }).operationId === operationId),
  );
  expect(await cancel({ idempotencyKey: 'cancel' })).toMatchObject({ id: operationId });
  await expect(cancel({})).rejects.toMatchObject({ error: { code: 'operation-ended' } });
});

it('the end of an operation that another overtook is told under its own id', async () => {
  const ids: (string | undefined)[] = [];
  for (const count of [3, 4, 1, 2]) ids.push((await onGroup('action', { action: 'resize', count })).operationId);
  const ended = async (): Promise<readonly [string, string | undefined][]> =>
    (await world.all('OperationEnded')).map(e => [
      (e.data as { operationId: string }).operationId,
      e.metadata.operationId,
    ]);
  await work('all have ended', async () => (await ended()).filter(([id]) => ids.includes(id)).length === ids.length);
  for (const [id, told] of await ended()) expect(told).toBe(id);
});
