import { commandSubject, type CommandResult, type RequestMeta } from '@stave/contracts';
import { ClustersHarness, type Replica } from './clusters.fixture.js';

let harness: ClustersHarness;
let replica: Replica;
beforeEach(async () => {
  harness = await ClustersHarness.open();
  replica = await harness.replica();
});
afterEach(() => harness.close());

type Meta = Partial<RequestMeta>;
const big = { name: 'big', cpus: 8, memoryMb: 1024 };
const create = (body: object = {}): Promise<CommandResult> =>
  harness.ask(replica, 'create', { name: 'shop', driver: 'fake', ...body });
const patch = (body: object, meta: Meta = {}): Promise<CommandResult> =>
  harness.ask(replica, 'patch', { id: 'shop', patch: body }, meta);

it('a patch merges cluster defaults member by member, and null removes one or all', async () => {
  await create({ defaults: { flavor: big, image: 'debian', dataVolumeGb: 5 } });
  const defaults = async (change: unknown): Promise<unknown> =>
    (await patch({ defaults: change })).resource['defaults'];
  expect(await defaults({ zones: ['a'] })).toEqual({
    flavor: big,
    image: 'debian',
    dataVolumeGb: 5,
    zones: [{ name: 'a' }],
  });
  expect(await defaults({ image: null, zones: ['b'] })).toEqual({
    flavor: big,
    dataVolumeGb: 5,
    zones: [{ name: 'b' }],
  });
  expect(await defaults({ flavor: { cpus: 2, name: null } })).toMatchObject({ flavor: { cpus: 2, memoryMb: 1024 } });
  expect(await defaults(null)).toEqual({});
  await expect(defaults({ flavor: { name: 'half' } })).rejects.toMatchObject({
    error: { errors: [{ pointer: '/defaults/flavor/cpus' }, { pointer: '/defaults/flavor/memoryMb' }] },
  });
});

it('a patch merges and removes cluster labels, within the limits of a creation', async () => {
  await create({ labels: { a: '1', b: '2' } });
  expect((await patch({ labels: { a: null } })).resource['labels']).toEqual({ b: '2' });
  expect((await patch({ labels: null })).resource['labels']).toEqual({});
  const labels = Object.fromEntries(Array.from({ length: 64 }, (_, i) => [`m${i}`, 'v']));
  await patch({ labels });
  await expect(patch({ labels: { more: 'v' } })).rejects.toMatchObject({
    error: { kind: 'rule', errors: [{ pointer: '/labels' }] },
  });
});

it('repeated changes get the answers of the first requests, although the cluster is deleted', async () => {
  const { resource, operationId } = await create();
  const cancel = (meta: Meta): Promise<object> =>
    harness.request(replica, commandSubject('cluster-service', 'operation', 'cancel'), { id: operationId }, meta);
  const change = (): Promise<CommandResult> => patch({ description: 'mine' }, { idempotencyKey: 'patch' });
  const same = (): Promise<CommandResult> => patch({ description: 'mine' }, { idempotencyKey: 'same' });
  const first = [await change(), await same()];
  await cancel({ idempotencyKey: 'cancel' });
  const stream = `cluster-${resource.id}`;
  await harness.append(stream, { type: 'OperationEnded', data: { operationId, status: 'CANCELLED' } });
  await harness.append(stream, { type: 'ClusterDeleted', data: {} });
  expect([await change(), await same()]).toEqual(first);
  expect(await cancel({ idempotencyKey: 'cancel' })).toMatchObject({ id: operationId });
  await expect(cancel({})).rejects.toMatchObject({ error: { kind: 'conflict' } });
});

it('a repeated deletion gets the answer of the first request, although the cluster is deleted', async () => {
  const { resource } = await create();
  const remove = (meta: Meta): Promise<CommandResult> => harness.ask(replica, 'delete', { id: 'shop' }, meta);
  const first = await remove({ idempotencyKey: 'delete' });
  expect(await remove({ idempotencyKey: 'delete' })).toEqual(first);
  await harness.append(`cluster-${resource.id}`, { type: 'ClusterDeleted', data: {} });
  expect(await remove({ idempotencyKey: 'delete' })).toEqual(first);
  await expect(remove({})).rejects.toMatchObject({ error: { kind: 'not-found' } });
});
