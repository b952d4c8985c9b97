import { slotOf } from '@stave/domain';
import { workSubject } from '@stave/contracts';
import { MemoryMessaging } from '@stave/platform';
import { CommandLoad } from './command-load.js';
import { append, broker, caughtUp, claimOf, join, replica, store } from './task-board.fixture.js';

it('two replicas that get concurrent claims create one claim of each task', async () => {
  await join('one');
  for (let i = 0; i < 40; i++) await append(`job-n${i}`, 'Wanted', { id: `n${i}` });
  const [a, b] = [await replica(), await replica()];
  await Promise.all([a, b, a, b].map(r => r.board.claim(claimOf(r.ring, 'one'))));
  for (let i = 0; i < 40; i++)
    expect((await store.readStream(`job-n${i}`)).map(e => e.type)).toEqual(['Wanted', 'TaskClaimed']);
});

it('the work of an ended session is handed to the next session', async () => {
  await join('one');
  await append('job-n1', 'Wanted', { id: 'n1' });
  const r = await replica();
  expect((await r.board.claim(claimOf(r.ring, 'one'))).tasks).toMatchObject([{ attempt: 1, resource: { id: 'n1' } }]);
  await join('two');
  await caughtUp(r.feed);
  expect((await r.board.claim(claimOf(r.ring, 'two'))).tasks).toEqual([]);
  const { view } = r.ring;
  const listener = new MemoryMessaging(broker);
  const reported = new Promise<void>(resolve =>
    listener.subscribe(workSubject(view.tokenOf(view.keyFor('', 'fake')), slotOf('n1')), () => resolve()),
  );
  await append('conductorRing', 'ConductorExpired', { conductor: 'one', session: 'one-s' });
  await caughtUp(r.feed);
  await reported;
  expect((await r.board.claim(claimOf(r.ring, 'two'))).tasks).toMatchObject([{ attempt: 2 }]);
  expect(await r.board.claim(claimOf(r.ring, 'one'))).toMatchObject({ ended: true, tasks: [] });
  const stale = await r.board.report({
    taskId: 'x',
    attempt: 1,
    conductor: 'one',
    session: 'one-s',
    resource: { type: 'node', id: 'n1', generation: 1 },
    outcome: { type: 'done', kind: 'node.delete', result: {} },
  });
  expect(stale.status).toBe('stale');
});

it.each([
  ['permanent', undefined],
  ['transient', '1970-01-01T00:16:40.'],
] as const)('a retry time that a conductor reports with a %s failure is ignored', async (failure, expected) => {
  await join('one');
  await append('job-n1', 'Wanted', { id: 'n1' });
  const r = await replica(() => 1_000_000);
  const [task] = (await r.board.claim(claimOf(r.ring, 'one'))).tasks;
  const outcome = { type: 'failed', failure, message: 'refused', retryAt: '2999-01-01T00:00:00.000Z' } as const;
  const report = { taskId: task?.taskId ?? '', attempt: 1, conductor: 'one', session: 'one-s', outcome };
  await r.board.report({ ...report, resource: { type: 'node', id: 'n1', generation: 1 } });
  const stored = (await store.readStream('job-n1')).at(-1);
  expect(stored?.type).toBe('TaskFailed');
  const { retryAt } = stored?.data as { readonly retryAt?: string };
  expect(retryAt?.slice(0, expected?.length)).toBe(expected);
});

it('work whose claim could not be stored is offered again', async () => {
  await join('one');
  for (let i = 0; i < 100; i++) await append(`job-n${i}`, 'Wanted', { id: `n${i}` });
  const r = await replica();
  const spy = jest.spyOn(store, 'append').mockRejectedValue(new Error('down'));
  await expect(r.board.claim(claimOf(r.ring, 'one'))).rejects.toThrow('down');
  spy.mockRestore();
  expect((await r.board.claim(claimOf(r.ring, 'one'))).tasks).toHaveLength(100);
});

it('a superseded claim is reported to its holder after a while, and the new task is handed out once the claim is released', async () => {
  let now = 1_000_000;
  await join('one');
  await append('job-n1', 'Wanted', { id: 'n1' });
  const r = await replica(() => now);
  const [lost] = (await r.board.claim(claimOf(r.ring, 'one'))).tasks;
  await append('job-n1', 'Wanted', { id: 'n1', generation: 2 });
  await caughtUp(r.feed);
  expect(await r.board.claim(claimOf(r.ring, 'one'))).not.toHaveProperty('held');
  now += 6_000;
  const { held, tasks } = await r.board.claim(claimOf(r.ring, 'one'));
  expect(tasks).toEqual([]);
  expect(held).toEqual([
    { taskId: lost?.taskId, attempt: 1, superseded: true, resource: { type: 'node', id: 'n1', generation: 2 } },
  ]);
  const outcome = { type: 'released', reason: 'not received' } as const;
  const report = { taskId: lost?.taskId ?? '', attempt: 1, conductor: 'one', session: 'one-s', outcome };
  expect(await r.board.report({ ...report, resource: { type: 'node', id: 'n1', generation: 1 } })).toEqual({
    status: 'accepted',
  });
  await caughtUp(r.feed);
  expect((await r.board.claim(claimOf(r.ring, 'one'))).tasks).toMatchObject([
    { resource: { id: 'n1', generation: 2 } },
  ]);
});

it('a claim that another replica gave to the next session is reported', async () => {
  let now = 1_000_000;
  await join('one');
  await append('job-n1', 'Wanted', { id: 'n1' });
  const [a, b] = [await replica(() => now), await replica(() => now)];
  await a.board.claim(claimOf(a.ring, 'one'));
  await join('two');
  await append('conductorRing', 'ConductorExpired', { conductor: 'one', session: 'one-s' });
  await Promise.all([caughtUp(a.feed), caughtUp(b.feed)]);
  const [lost] = (await a.board.claim(claimOf(a.ring, 'two'))).tasks;
  await append('job-n1', 'Wanted', { id: 'n1', generation: 2 });
  await caughtUp(b.feed);
  now += 6_000;
  expect((await b.board.claim(claimOf(b.ring, 'two'))).held).toMatchObject([{ taskId: lost?.taskId, attempt: 2 }]);
});

it('while commands keep the process busy, conductors get few tasks, and all of them afterwards', async () => {
  await join('one');
  for (let i = 0; i < 40; i++) await append(`job-n${i}`, 'Wanted', { id: `n${i}` });
  let now = 0;
  const load = new CommandLoad({ now: () => now, utilization: () => 1 });
  const r = await replica(Date.now, load);
  for (let i = 0; i < 12; i++) await load.during(() => Promise.resolve());
  const first = await r.board.claim(claimOf(r.ring, 'one'));
  expect([first.tasks.length, first.nextInMs]).toEqual([3, 50]);
  const second = await r.board.claim(claimOf(r.ring, 'one'));
  expect([second.tasks.length, second.nextInMs]).toEqual([0, 50]);
  now = 50;
  expect((await r.board.claim(claimOf(r.ring, 'one'))).tasks).toHaveLength(37);
});
