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

async function claimed(replica: Replica, nodes: readonly string[]): Promise<readonly Task[]> {
  const holdings = [{ key: ':fake', version: '1.0.0', slots: nodes.map(slotOf) }];
  const body = { conductor: 'one', session: SESSION, epoch: 0, holdings, max: 10 };
  return (await replica.ask<ClaimReply>('task', 'claim', body, meta)).tasks;
}

const report = (replica: Replica, { taskId, kind, attempt, resource }: Task): Promise<unknown> => {
  const result = { infrastructureId: 'i', addresses: [], capacity: { cpus: 1, memoryMb: 512 } };
  const holder = { taskId, attempt, resource, conductor: 'one', session: SESSION };
  return replica.ask('task', 'report', { ...holder, outcome: { type: 'done', kind, result } }, meta);
};

it('a worker is not assigned before a manager is ready, for drivers that require managers', async () => {
  harness = await NodeGroupHarness.open({ requiresManager: true });
  const replica = await harness.replica();
  await harness.cluster({ workers: 3, managers: 1 });
  const nodes = await declared(4);
  let tasks: readonly Task[] = [];
  await eventually(async () => (tasks = await claimed(replica, nodes)).length > 0, 'a task');
  const roles = (all: readonly Task[]): readonly unknown[] =>
    all.map(task => (task.kind === 'node.create' ? task.spec.role : task.kind));
  expect(roles(tasks)).toEqual(['manager']);
  expect(await claimed(replica, nodes)).toEqual([]);
  for (const task of tasks) await report(replica, task);
  await eventually(async () => (tasks = [...tasks, ...(await claimed(replica, nodes))]).length === 4, 'the workers');
  expect(roles(tasks)).toEqual(['manager', 'worker', 'worker', 'worker']);
});

it('all nodes are assigned at once for drivers that require no managers', async () => {
  harness = await NodeGroupHarness.open();
  const replica = await harness.replica();
  await harness.cluster({ workers: 3, managers: 1 });
  const nodes = await declared(4);
  let tasks: readonly Task[] = [];
  await eventually(async () => (tasks = [...tasks, ...(await claimed(replica, nodes))]).length === 4, 'all tasks');
});
