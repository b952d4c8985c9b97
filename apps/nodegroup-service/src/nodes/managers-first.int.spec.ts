import type { ClaimReply, Task } from '@stave/contracts';
import { slotOf } from '@stave/domain';
import { eventually } from '@stave/platform/testing';
import { PROJECT, SESSION, type Replica } from '@stave/service-kit/testing';
import { NodeGroupHarness } from '../nodegroup.fixture.js';

const meta = { actor: { keyId: 'conductor:one', role: 'admin', project: PROJECT } } as const;
let harness: NodeGroupHarness;
afterEach(() => harness.close());

async function declared(count: number): Promise<readonly string[]> {
  return eventually(async () => {
    const ids = await harness.nodeIds();
    return ids.length === count && ids;
  }, `${count} nodes`);
}

async function claimed(replica: Replica, nodes: readonly string[], max = 10): Promise<readonly Task[]> {
  const holdings = [{ key: ':fake', version: '1.0.0', slots: nodes.map(slotOf) }];
  const body = { conductor: 'one', session: SESSION, epoch: 0, holdings, max };
  return (await replica.ask<ClaimReply>('task', 'claim', body, meta)).tasks;
}

/** Claims one task, once there is one. */
async function nextClaimed(replica: Replica, nodes: readonly string[]): Promise<Task> {
  return eventually(async () => (await claimed(replica, nodes, 1))[0], 'a task');
}

const roleOf = (task: Task): unknown => (task.kind === 'node.create' ? task.spec.role : task.kind);

const reported = (replica: Replica, { taskId, attempt, resource }: Task, outcome: object): Promise<unknown> => {
  const holder = { taskId, attempt, resource, conductor: 'one', session: SESSION };
  return replica.ask('task', 'report', { ...holder, outcome }, meta);
};

const done = (replica: Replica, task: Task): Promise<unknown> => {
  const result = { infrastructureId: 'i', addresses: [], capacity: { cpus: 1, memoryMb: 512 } };
  return reported(replica, task, { type: 'done', kind: task.kind, result });
};

it('a worker is not assigned before a manager is ready, for drivers that require managers', async () => {
  harness = await NodeGroupHarness.open({ requiresManager: true });
  const replica = await harness.replica();
  await harness.cluster({ workers: 3, managers: 1 });
  const nodes = await declared(4);
  let tasks: readonly Task[] = [];
  await eventually(async () => (tasks = await claimed(replica, nodes)).length > 0, 'a task');
  expect(tasks.map(roleOf)).toEqual(['manager']);
  expect(await claimed(replica, nodes)).toEqual([]);
  for (const task of tasks) await done(replica, task);
  await eventually(async () => (tasks = [...tasks, ...(await claimed(replica, nodes))]).length === 4, 'the workers');
  expect(tasks.map(roleOf)).toEqual(['manager', 'worker', 'worker', 'worker']);
});

it('workers of a driver that starts them early are assigned while a manager is built, and no longer when that failed', async () => {
  harness = await NodeGroupHarness.open({ requiresManager: true, startsWorkersEarly: true });
  const replica = await harness.replica();
  await harness.cluster({ workers: 2, managers: 1 });
  const nodes = await declared(3);
  const manager = await nextClaimed(replica, nodes);
  expect(roleOf(manager)).toBe('manager');
  expect(roleOf(await nextClaimed(replica, nodes))).toBe('worker');
  await reported(replica, manager, { type: 'failed', failure: 'permanent', message: 'there is no room' });
  const { id } = manager.resource;
  const failed = (): Promise<boolean> =>
    replica.ask<{ readonly status: string }>('node', 'get', { id }, meta).then(({ status }) => status === 'FAILED');
  await eventually(failed, 'the failure of the manager');
  // the manager is deleted, and another one may take its place
  expect((await claimed(replica, nodes, 1)).map(roleOf)).not.toContain('worker');
});

it('all nodes are assigned at once for drivers that require no managers', async () => {
  harness = await NodeGroupHarness.open();
  const replica = await harness.replica();
  await harness.cluster({ workers: 3, managers: 1 });
  const nodes = await declared(4);
  let tasks: readonly Task[] = [];
  await eventually(async () => (tasks = [...tasks, ...(await claimed(replica, nodes))]).length === 4, 'all tasks');
});
