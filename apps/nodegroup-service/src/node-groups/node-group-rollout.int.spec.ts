import type { CommandResult } from '@stave/contracts';
import { nodeGroupStream, type NodeGroupEvent, type NodeGroupState } from '@stave/domain';
import { type Replica } from '@stave/service-kit/testing';
import { NodeGroupHarness } from '../nodegroup.fixture.js';

let harness: NodeGroupHarness;
let replica: Replica;
let clusterId: string;
let groupId: string;
beforeEach(async () => {
  harness = await NodeGroupHarness.open();
  replica = await harness.replica();
  const cluster = await harness.cluster({ w: 3 });
  clusterId = cluster.id;
  groupId = cluster.groupIds[0] ?? '';
  await harness.workUntil(async () => (await harness.all('NodeGroupBecameActive')).length > 0, 'the group is ACTIVE');
});
afterEach(() => harness.close());

const on = (verb: string, body: object): Promise<CommandResult> =>
  replica.ask('node-group', verb, { id: 'w', clusterId, ...body });
const patch = (body: object): Promise<CommandResult> => on('patch', { patch: body });
const node = (id: string, action: string): Promise<CommandResult> => replica.ask('node', 'action', { id, action });
const endOf = async (operationId: string | undefined): Promise<unknown> =>
  (await harness.all('OperationEnded')).find(e => (e.data as { operationId: string }).operationId === operationId)
    ?.data;
const ended = (operationId: string | undefined) => async (): Promise<boolean> =>
  (await endOf(operationId)) !== undefined;
const names = async (type: string): Promise<string[]> =>
  (await harness.all(type)).map(e => (e.data as { name: string }).name);

/** Returns the group after each of its events. */
async function groupStates(): Promise<readonly NodeGroupState[]> {
  const events = await harness.store.readStream(`nodeGroup-${groupId}`);
  let state: NodeGroupState | undefined;
  return events.flatMap(e => {
    state = nodeGroupStream.evolve(state, e as unknown as NodeGroupEvent, e.metadata.time);
    return state ?? [];
  });
}

async function expectOneSuccessorPerNode(): Promise<void> {
  for (const { members } of await groupStates()) {
    const followed = [...members.values()].filter(m => !m.leaving && m.replaces !== undefined).map(m => m.replaces);
    expect(new Set(followed).size).toBe(followed.length);
  }
}

/** Stops the service after each round of work, and starts another replica, until the operation has ended. */
async function workWithRestarts(operationId: string | undefined): Promise<void> {
  for (let stops = 0; !(await ended(operationId)()); stops++) {
    const before = (await harness.all()).length;
    await harness.workUntil(
      async () => (await harness.all()).length > before || (await ended(operationId)()),
      `more events after ${stops} restarts`,
    );
    await replica.stop();
    replica = await harness.replica();
    expect(stops).toBeLessThan(100);
  }
  expect(await endOf(operationId)).toMatchObject({ status: 'SUCCEEDED' });
}

it.each([
  ['one surplus node', {}],
  ['one node unavailable', { updateStrategy: { maxSurge: 0, maxUnavailable: 1 } }],
])(
  'a rolling replacement with %s resumes whenever its service restarts, and replaces each node once',
  async (_, more) => {
    const { operationId } = await patch({ flavor: { memoryMb: 1024 }, ...more });
    await workWithRestarts(operationId);
    expect((await names('NodeDeclared')).sort()).toEqual(['w-0', 'w-1', 'w-2', 'w-3', 'w-4', 'w-5']);
    expect(await harness.all('NodeDeleted')).toHaveLength(3);
    const declared = (await harness.all('NodeDeclared')).slice(3).map(e => e.data);
    for (const data of declared)
      expect(data).toMatchObject({ build: 1, spec: { flavor: { cpus: 1, memoryMb: 1024 } } });
    await expectOneSuccessorPerNode();
  },
);

it('a rolling replacement with two leading replicas replaces each node once', async () => {
  await harness.replica();
  const { operationId } = await patch({ options: { some: 'thing' } });
  await harness.workUntil(ended(operationId), 'the operation has ended');
  expect(await names('NodeDeclared')).toHaveLength(6);
  await expectOneSuccessorPerNode();
});

it('the rebuild of a group resumes whenever its service restarts, and rebuilds each node once', async () => {
  const { operationId } = await on('action', { action: 'rebuild' });
  await workWithRestarts(operationId);
  expect(await harness.all('NodeRolloutRequested')).toHaveLength(3);
  const built = (await harness.all('TaskCompleted')).filter(e => (e.data as { kind: string }).kind === 'node.rebuild');
  expect(new Set(built.map(e => e.stream)).size).toBe(3);
  expect(built).toHaveLength(3);
  for (const { metadata } of await harness.all('NodeRolloutRequested')) expect(metadata.operationId).toBe(operationId);
});

it('a change of labels and taints is applied to every node, and shown in the documents at once', async () => {
  const taints = [{ key: 'k', effect: 'NoSchedule' }];
  const { operationId } = await patch({ labels: { a: '1' }, taints });
  const minPosition = await harness.store.head();
  const { items } = await replica.ask<{ items: object[] }>('node', 'list', { filter: {}, limit: 9 }, { minPosition });
  for (const item of items) expect(item).toMatchObject({ labels: { a: '1' }, taints });
  await harness.workUntil(ended(operationId), 'the operation has ended');
  const updates = (await harness.all('TaskCompleted')).filter(e => (e.data as { kind: string }).kind === 'node.update');
  expect(updates).toHaveLength(3);
  await patch({ labels: { a: '1' } });
  expect(await harness.all('NodeGroupUpdated')).toHaveLength(1);
});

it('a node refuses other work during a rollout of its group, and accepts it afterwards', async () => {
  const id = (await harness.all('NodeDeclared'))[0]?.stream.slice('node-'.length) ?? '';
  const { operationId } = await on('action', { action: 'reboot', type: 'hard' });
  for (const action of ['rebuild', 'reboot', 'drain', 'replace'])
    await expect(node(id, action)).rejects.toMatchObject({ error: { code: 'busy', kind: 'conflict' } });
  await expect(on('action', { action: 'rebuild' })).rejects.toMatchObject({ error: { code: 'busy' } });
  await node(id, 'cordon');
  await harness.workUntil(ended(operationId), 'the operation has ended');
  expect(await endOf(operationId)).toMatchObject({ status: 'SUCCEEDED' });
  await harness.workUntil(ended((await node(id, 'reboot')).operationId), 'the node is rebooted');
});
