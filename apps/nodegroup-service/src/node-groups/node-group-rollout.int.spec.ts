import { RefusedError, type CommandResult } from '@stave/contracts';
import { nodeGroupStream, type NodeGroupEvent, type NodeGroupState } from '@stave/domain';
import { eventually } from '@stave/platform/testing';
import { World, type Replica } from '../nodegroup.fixture.js';

let world: World;
let replica: Replica;
let clusterId: string;
let groupId: string;
beforeEach(async () => {
  world = await World.open();
  replica = await world.replica();
  const cluster = await world.cluster({ w: 3 });
  clusterId = cluster.id;
  groupId = cluster.groupIds[0] ?? '';
  await work('the group is whole', () => has('NodeGroupBecameActive'));
});
afterEach(() => world.close());

const has = async (type: string, count = 1): Promise<boolean> => (await world.all(type)).length >= count;
const once = (): Promise<void> =>
  // a node may be given up between its claim and its report, as in real life: the next round looks again
  world.workOnce().catch((error: unknown) => {
    if (!(error instanceof RefusedError)) throw error;
  });
const work = (what: string, check: () => Promise<boolean>): Promise<true> =>
  eventually(async () => {
    await once();
    return check();
  }, what);
const on = (verb: string, body: object): Promise<CommandResult> =>
  world.ask(replica, 'node-group', verb, { id: 'w', clusterId, ...body });
const patch = (body: object): Promise<CommandResult> => on('patch', { patch: body });
const node = (id: string, action: string): Promise<CommandResult> =>
  world.ask(replica, 'node', 'action', { id, action });
const endOf = async (operationId: string | undefined): Promise<unknown> =>
  (await world.all('OperationEnded')).find(e => (e.data as { operationId: string }).operationId === operationId)?.data;
const ended = (operationId: string | undefined) => async (): Promise<boolean> =>
  (await endOf(operationId)) !== undefined;
const names = async (type: string): Promise<string[]> =>
  (await world.all(type)).map(e => (e.data as { name: string }).name);

/** The group after each of its events. */
async function story(): Promise<readonly NodeGroupState[]> {
  const events = await world.store.readStream(`nodeGroup-${groupId}`);
  let state = nodeGroupStream.initial;
  return events.map(e => (state = nodeGroupStream.evolve(state, e as unknown as NodeGroupEvent, e.metadata.time)));
}

async function twoForNone(): Promise<void> {
  for (const { members } of await story()) {
    const followed = [...members.values()].filter(m => !m.leaving && m.replaces !== undefined).map(m => m.replaces);
    // a failed successor and its own successor are in one append
    expect(new Set(followed).size).toBe(followed.length);
  }
}

it.each([
  ['one more than the count', {}],
  ['one less', { updateStrategy: { maxSurge: 0, maxUnavailable: 1 } }],
])(
  'a rolling replacement with %s goes on wherever its service is stopped, with one successor each',
  async (_, more) => {
    const { operationId } = await patch({ flavor: { memoryMb: 1024 }, ...more });
    for (let stops = 0; !(await ended(operationId)()); stops++) {
      // after each round of work, and between the events that follow from it
      const before = (await world.all()).length;
      await once();
      await eventually(
        async () => (await world.all()).length > before || (await ended(operationId)()),
        `stop ${stops}`,
      );
      await replica.stop();
      replica = await world.replica();
      expect(stops).toBeLessThan(100);
    }
    expect(await endOf(operationId)).toMatchObject({ status: 'SUCCEEDED' });
    expect((await names('NodeDeclared')).sort()).toEqual(['w-0', 'w-1', 'w-2', 'w-3', 'w-4', 'w-5']);
    expect(await world.all('NodeDeleted')).toHaveLength(3);
    const declared = (await world.all('NodeDeclared')).slice(3).map(e => e.data);
    for (const data of declared)
      expect(data).toMatchObject({ build: 1, spec: { flavor: { cpus: 1, memoryMb: 1024 } } });
    await twoForNone();
  },
);

it('two replicas that both lead replace each node once', async () => {
  await world.replica();
  const { operationId } = await patch({ options: { some: 'thing' } });
  await work('it has ended', ended(operationId));
  expect(await names('NodeDeclared')).toHaveLength(6);
  await twoForNone();
});

it('a round of rebuilds goes on wherever its service is stopped; each node has one turn', async () => {
  const { operationId } = await on('action', { action: 'rebuild' });
  while (!(await ended(operationId)())) {
    const before = (await world.all()).length;
    await once();
    await eventually(async () => (await world.all()).length > before || (await ended(operationId)()), 'more');
    await replica.stop();
    replica = await world.replica();
  }
  expect(await world.all('NodeRolloutRequested')).toHaveLength(3);
  const built = (await world.all('TaskCompleted')).filter(e => (e.data as { kind: string }).kind === 'node.rebuild');
  expect(new Set(built.map(e => e.stream)).size).toBe(3);
  expect(built).toHaveLength(3);
  for (const { metadata } of await world.all('NodeRolloutRequested')) expect(metadata.operationId).toBe(operationId);
});

it('labels and taints reach every node, in its document at once', async () => {
  const taints = [{ key: 'k', effect: 'NoSchedule' }];
  const { operationId } = await patch({ labels: { a: '1' }, taints });
  const minPosition = await world.store.head();
  const { items } = await world.ask<{ items: object[] }>(
    replica,
    'node',
    'list',
    { filter: {}, limit: 9 },
    { minPosition },
  );
  for (const item of items) expect(item).toMatchObject({ labels: { a: '1' }, taints });
  await work('it has ended', ended(operationId));
  const updates = (await world.all('TaskCompleted')).filter(e => (e.data as { kind: string }).kind === 'node.update');
  expect(updates).toHaveLength(3);
  await patch({ labels: { a: '1' } });
  expect(await world.all('NodeGroupUpdated')).toHaveLength(1);
});

it('nodes on their own are busy while their group is gone through, and free afterwards', async () => {
  const id = (await world.all('NodeDeclared'))[0]?.stream.slice('node-'.length) ?? '';
  const { operationId } = await on('action', { action: 'reboot', type: 'hard' });
  for (const action of ['rebuild', 'reboot', 'drain', 'replace'])
    await expect(node(id, action)).rejects.toMatchObject({ error: { code: 'busy', kind: 'conflict' } });
  await expect(on('action', { action: 'rebuild' })).rejects.toMatchObject({ error: { code: 'busy' } });
  await node(id, 'cordon');
  await work('it has ended', ended(operationId));
  expect(await endOf(operationId)).toMatchObject({ status: 'SUCCEEDED' });
  await work('rebooted', ended((await node(id, 'reboot')).operationId));
});
