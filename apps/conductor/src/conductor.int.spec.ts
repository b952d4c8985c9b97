import { DriverError } from '@stave/driver-sdk';
import { eventually } from '@stave/platform/testing';
import { aClusterTask, aHolding, aTask, ConductorBench, nodeSpec } from './testing/conductor-bench.js';
import { untilAborted } from './testing/scripted-driver.js';

jest.setTimeout(120_000);

describe('A conductor', () => {
  let bench: ConductorBench;

  beforeEach(() => {
    bench = new ConductorBench();
    bench.services.holdings = [aHolding()];
  });
  afterEach(() => bench.close());

  it('registers, claims a task, runs it and reports the result of the driver', async () => {
    bench.services.start();
    bench.services.open.push(aTask('n1'));
    bench.driver.script = async ({ ctx }) => {
      ctx.checkpoint();
      return { infrastructureId: 'vm-1' };
    };
    const conductor = await bench.conductor();
    await conductor.start();
    await eventually(() => conductor.counters.done === 1, 'the task is done');
    const registration = bench.services.registrations.at(-1);
    expect(registration).toMatchObject({ conductor: conductor.id, group: '', weight: 1, keyMode: 'group' });
    expect(registration?.drivers).toMatchObject([{ name: 'scripted', version: '1.0.0', manifest: { sdk: '^1' } }]);
    expect(bench.driver.openedWith?.installation).toBe('inst-1');
    const [report] = bench.services.endsOf('task-of-n1');
    expect(report).toMatchObject({ attempt: 1, conductor: conductor.id, session: registration?.session });
    expect(report?.outcome).toMatchObject({ type: 'done', result: { infrastructureId: 'vm-1' } });
    expect(bench.driver.calls[0]?.ctx.task).toEqual({ taskId: 'task-of-n1', attempt: 1, generation: 1 });
  });

  it('registers as soon as the services run, with a new session after a lost answer', async () => {
    const conductor = await bench.conductor();
    await conductor.start();
    expect(conductor.counters.sessions).toBe(0);
    bench.services.lose.set('conductor.register', 1);
    bench.services.start();
    await eventually(() => conductor.counters.sessions === 1, 'registered');
    const sessions = bench.services.registrations.map(({ session }) => session);
    expect(new Set(sessions).size).toBe(2);
    await eventually(() => bench.services.heartbeats.length > 0, 'a heartbeat');
    expect(bench.services.heartbeats[0]?.session).toBe(sessions[1]);
  });

  it('reports the class of a failure, and only the name of an unknown error', async () => {
    bench.services.start();
    bench.services.open.push(aTask('full'), aTask('odd'), aTask('wrong', { spec: nodeSpec('other') }));
    bench.driver.script = async ({ id }) => {
      throw id === 'full' ? new DriverError('capacity', 'no room in zone a') : new TypeError('password=hunter2');
    };
    const conductor = await bench.conductor();
    await conductor.start();
    await eventually(() => conductor.counters.failed === 3, 'all failed');
    const outcome = (id: string) => bench.services.endsOf(`task-of-${id}`)[0]?.outcome;
    expect(outcome('full')).toEqual({ type: 'failed', failure: 'capacity', message: 'no room in zone a' });
    expect(outcome('odd')).toEqual({ type: 'failed', failure: 'transient', message: 'unexpected error: TypeError' });
    expect(outcome('wrong')).toMatchObject({ type: 'failed', failure: 'permanent' });
    expect(JSON.stringify(bench.services.reports)).not.toContain('hunter2');
  });

  it('repeats a report until it is answered', async () => {
    bench.services.start();
    bench.services.open.push(aTask('n1'));
    bench.services.lose.set('task.report', 3);
    const conductor = await bench.conductor();
    await conductor.start();
    await eventually(() => conductor.counters.done === 1, 'done');
    expect(bench.services.endsOf('task-of-n1')).toHaveLength(4);
    expect(bench.driver.idsOf('node.create')).toEqual(['n1']);
  });

  it('repeats a report that the service was unable to store, and drops one that it refuses', async () => {
    bench.services.start();
    bench.services.open.push(aTask('n1'));
    bench.services.refuse.set('task.report', { code: 'away', kind: 'unavailable', detail: 'store away' });
    const conductor = await bench.conductor();
    await conductor.start();
    await eventually(() => conductor.counters.done === 1, 'done');
    bench.services.refuse.set('task.report', { code: 'bad', kind: 'invalid', detail: 'no such outcome' });
    bench.services.open.push(aTask('n2'));
    await eventually(() => conductor.counters.dropped === 1 && conductor.counters.inFlight === 0, 'dropped');
    expect(bench.services.endsOf('task-of-n2')).toEqual([]);
  });

  it('stops reporting a task when its report is stale', async () => {
    bench.services.start();
    bench.services.open.push(aTask('n1'));
    bench.services.onReport = () => ({ status: 'stale' });
    bench.driver.script = call => {
      call.ctx.progress('booting');
      return untilAborted(call);
    };
    const conductor = await bench.conductor();
    await conductor.start();
    await eventually(() => conductor.counters.stale === 1 && conductor.counters.inFlight === 0, 'dropped');
    expect(bench.services.endsOf('task-of-n1')).toEqual([]);
    expect(bench.driver.calls[0]?.ctx.signal.aborted).toBe(true);
    expect(() => bench.driver.calls[0]?.ctx.checkpoint()).toThrow('stopped: stale');
  });

  it.each(['message', 'answer'])('stops a task that is cancelled by %s and reports it as released', async how => {
    bench.services.start();
    bench.services.open.push(aTask('n1'), aTask('n2'));
    if (how === 'answer') {
      bench.services.onReport = ({ taskId }) => ({ status: 'accepted', cancel: taskId === 'task-of-n1' });
    }
    bench.driver.script = call => {
      call.ctx.progress('booting');
      return untilAborted(call);
    };
    const conductor = await bench.conductor();
    await conductor.start();
    await eventually(() => bench.driver.calls.length === 2, 'both run');
    if (how === 'message') bench.services.cancel(conductor.id, 'task-of-n1');
    await eventually(() => conductor.counters.released === 1, 'released');
    expect(bench.services.endsOf('task-of-n1')[0]?.outcome).toEqual({ type: 'released', reason: 'cancelled' });
    expect(conductor.counters.inFlight).toBe(1);
  });

  it('releases a claim whose task was never received, and ignores the task when it arrives later', async () => {
    bench.services.start();
    const late = aTask('n1');
    const { taskId, resource, attempt } = late;
    bench.services.held.push({ taskId, resource, attempt, superseded: true });
    const conductor = await bench.conductor();
    await conductor.start();
    await eventually(() => bench.services.endsOf(taskId).length === 1, 'given back');
    expect(bench.services.endsOf(taskId)[0]?.outcome).toEqual({ type: 'released', reason: 'not received' });
    bench.services.open.push(late, aTask('n2'));
    bench.services.hint(aHolding());
    await eventually(() => conductor.counters.done === 1, 'the other one is done');
    expect(bench.driver.calls.map(({ id }) => id)).toEqual(['n2']);
  });

  it('ends an attempt at its deadline, even if the driver ignores the signal', async () => {
    bench.services.start();
    bench.services.open.push(aTask('n1', { timeoutMs: 30 }), aTask('n2', { timeoutMs: 30 }));
    bench.driver.script = call => (call.id === 'n1' ? untilAborted(call) : new Promise(() => undefined));
    const conductor = await bench.conductor();
    await conductor.start();
    await eventually(() => conductor.counters.failed === 2, 'failed');
    for (const id of ['n1', 'n2']) {
      const outcome = { type: 'failed', failure: 'transient', message: 'not finished within 30 ms' };
      expect(bench.services.endsOf(`task-of-${id}`)[0]?.outcome).toEqual(outcome);
    }
    expect(() => bench.driver.calls[1]?.ctx.checkpoint()).toThrow('stopped: deadline');
  });

  it('does not repeat a task that a late answer hands out again', async () => {
    bench.services.start();
    bench.services.open.push(aTask('n1'));
    const conductor = await bench.conductor();
    await conductor.start();
    await eventually(() => conductor.counters.done === 1, 'done');
    bench.services.open.push(aTask('n1'), aTask('n2'));
    await eventually(() => conductor.counters.done === 2, 'the next one');
    expect(bench.driver.idsOf('node.create')).toEqual(['n1', 'n2']);
  });

  it('reports only the newest step, before the end of the task', async () => {
    bench.services.start();
    bench.services.open.push(aTask('n1'));
    bench.driver.script = async ({ ctx }) => {
      for (let i = 0; i < 1_000; i++) ctx.progress(`step ${i}`);
      await eventually(() => bench.services.reports.length === 1, 'the coalesced report');
      return {};
    };
    const conductor = await bench.conductor();
    await conductor.start();
    await eventually(() => conductor.counters.done === 1, 'done');
    const outcomes = bench.services.reports.map(({ outcome }) =>
      outcome.type === 'progress' ? outcome.step : outcome.type,
    );
    expect(outcomes).toEqual(['step 999', 'done']);
  });

  it.each([
    ['the manifest of the driver', 2, { limits: { perProject: 9 } }, 2],
    ['its operator, who has the last word', 2, { limits: { perDriver: { scripted: 4 }, perProject: 9 } }, 4],
  ])('runs as many tasks of a driver at a time as stated by %s', async (_by, concurrency, options, most) => {
    bench.services.start();
    for (let i = 0; i < 12; i++) bench.services.open.push(aTask(`n${i}`));
    let release: () => void = () => undefined;
    const released = new Promise<object>(resolve => (release = () => resolve({})));
    bench.driver.concurrency = concurrency;
    bench.driver.script = () => released;
    const conductor = await bench.conductor(options);
    await conductor.start();
    await eventually(() => bench.driver.running === most, 'as many tasks run');
    release();
    await eventually(() => conductor.counters.done === 12, 'all done');
    expect(bench.driver.mostRunning).toBe(most);
  });

  it('runs as many tasks at a time as its limits allow, and all tasks eventually', async () => {
    bench.services.start();
    for (let i = 0; i < 20; i++) bench.services.open.push(aTask(`n${i}`));
    let release: () => void = () => undefined;
    const released = new Promise<object>(resolve => (release = () => resolve({})));
    bench.driver.script = () => released;
    const conductor = await bench.conductor({ limits: { perDriver: { scripted: 3 }, perProject: 3 } });
    await conductor.start();
    await eventually(() => bench.driver.running === 3, 'three tasks run');
    release();
    await eventually(() => conductor.counters.done === 20, 'all done');
    expect(bench.driver.mostRunning).toBe(3);
    expect(Math.max(...bench.services.claims.map(({ max }) => max))).toBeLessThanOrEqual(3);
  });

  it('runs no more tasks of one project than its limit, although several services hand out tasks at once', async () => {
    const { services, driver } = bench;
    services.start();
    const limits = { perProject: 2 };
    for (let i = 0; i < 10; i++) services.open.push(aTask(`n${i}`), aClusterTask(`c${i}`));
    services.open.push(aTask('other', { projectId: 'p2' }));
    let most = 0;
    driver.script = async () => {
      most = Math.max(most, driver.running);
      await eventually(() => services.claims.length > 10, 'further claims were sent');
      return {};
    };
    const conductor = await bench.conductor({ limits });
    await conductor.start();
    await eventually(() => conductor.counters.done === 21, 'all done');
    expect(most).toBeLessThanOrEqual(3);
  });

  it('claims no task for a driver that is not open, and retries to open it', async () => {
    bench.services.start();
    bench.driver.failOpenings = 2;
    bench.services.open.push(aTask('n1'));
    const conductor = await bench.conductor();
    await conductor.start();
    await eventually(() => conductor.counters.done === 1, 'done after it opened');
    expect(bench.openDriversOf(conductor)).toEqual(['scripted']);
  });
});
