import type { ClaimReply, Task } from '@stave/contracts';
import { slotOf } from '@stave/domain';
import { eventually } from '@stave/platform/testing';
import { PROJECT, World, type Replica } from '../nodegroup.fixture.js';

const meta = { actor: { keyId: 'conductor:one', role: 'admin', project: PROJECT } } as const;
const SESSION = 'session-1';
let world: World;
afterEach(() => world.close());

async function declared(count: number): Promise<readonly string[]> {
  await eventually(async () => (await world.all('NodeDeclared')).length === count, `${count} nodes`);
  return (await world.all('NodeDeclared')).map(({ stream }) => stream.slice('node-'.length));
}

async function claimed(replica: Replica, nodes: readonly string[]): Promise<readonly Task[]> {
  const holdings = [{ key: ':fake', version: '1.0.0', slots: nodes.map(slotOf) }];
  const body = { conductor: 'one', session: SESSION, epoch: 0, holdings, max: 10 };
  return (await world.ask<ClaimReply>(replica, 'task', 'claim', body, meta)).tasks;
}

const report = (replica: Replica, { taskId, attempt, resource }: Task): Promise<unknown> => {
  const result = { infrastructureId: 'i', addresses: [], capacity: { cpus: 1, memoryMb: 512 } };
  const holder = { taskId, attempt, resource, conductor: 'one', session: SESSION };
  return world.ask(replica, 'task', 'report', { ...holder, outcome: { type: 'done', result } }, meta);
};

it('hands out no worker before a manager stands, where the driver needs managers', async () => {
  world = await World.open({ requiresManager: true });
  const replica = await world.replica();
  await world.cluster({ workers: 3, managers: 1 });
  const nodes = await declared(4);
  let tasks: readonly Task[] = [];
  await eventually(async () => (tasks = await claimed(replica, nodes)).length > 0, 'a task');
  const roles = (all: readonly Task[]): readonly unknown[] => all.map(({ spec }) => spec['role']);
  expect(roles(tasks)).toEqual(['manager']);
  expect(await claimed(replica, nodes)).toEqual([]);
  for (const task of tasks) await report(replica, task);
  await eventually(async () => (tasks = [...tasks, ...(await claimed(replica, nodes))]).length === 4, 'the workers');
  expect(roles(tasks)).toEqual(['manager', 'worker', 'worker', 'worker']);
});

it('hands out all at once where it does not', async () => {
  world = await World.open();
  const replica = await world.replica();
  await world.cluster({ workers: 3, managers: 1 });
  const nodes = await declared(4);
  let tasks: readonly Task[] = [];
  await eventually(async () => (tasks = [...tasks, ...(await claimed(replica, nodes))]).length === 4, 'all tasks');
});
