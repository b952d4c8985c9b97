import { sessionSubject } from '@stave/contracts';
import { groupToken } from '@stave/domain';
import { NoRespondersError } from '@stave/platform';
import { aHolding, aTask, ConductorBench } from '../testing/conductor-bench.js';
import { untilAborted } from '../testing/scripted-driver.js';
import { eventually } from '@stave/platform/testing';

jest.setTimeout(120_000);

describe("A conductor's session", () => {
  let bench: ConductorBench;

  beforeEach(() => {
    bench = new ConductorBench();
    bench.services.holdings = [aHolding()];
  });
  afterEach(() => bench.close());

  it('a session stays alive while heartbeats are answered, and the heartbeats report the load', async () => {
    bench.services.sessionTimeoutMs = 1_000;
    bench.services.heartbeatMs = 100;
    bench.services.start();
    bench.services.open.push(aTask('n1'));
    bench.driver.script = untilAborted;
    const conductor = await bench.conductor();
    await conductor.start();
    await eventually(() => bench.services.heartbeats.length > 20, 'heartbeats for twice the time-out');
    expect(bench.services.registrations).toHaveLength(1);
    expect(bench.services.heartbeats.at(-1)).toMatchObject({ member: conductor.id, load: 1 });
  });

  it('a session sends the epoch that it is based on in every registration attempt', async () => {
    bench.services.epoch = 7;
    bench.services.lose.set('conductor.register', 5);
    bench.services.start();
    const conductor = await bench.conductor();
    await conductor.start();
    await eventually(() => bench.services.registrations.length > 0, 'the first try, whose answer is lost');
    bench.services.epoch = 9;
    await eventually(() => conductor.counters.sessions === 1, 'registered');
    const tries = bench.services.registrations;
    expect([tries.at(0)?.basedOn, tries.at(-1)?.basedOn]).toEqual([7, 9]);
    expect(new Set(tries.map(({ session }) => session)).size).toBe(6);
  });

  it.each(['silent', 'unknown'] as const)(
    'a session ends before the timeout when the answer to heartbeats is %s',
    async status => {
      bench.services.sessionTimeoutMs = 1_500;
      bench.services.start();
      bench.services.open.push(aTask('n1'));
      bench.driver.script = untilAborted;
      const conductor = await bench.conductor();
      await conductor.start();
      await eventually(() => bench.driver.calls.length === 1, 'the task runs');
      const session = bench.services.registrations[0]?.session;
      bench.services.heartbeatStatus = status;
      const before = performance.now();
      await eventually(() => bench.driver.calls[0]?.ctx.signal.aborted === true, 'aborted');
      expect(performance.now() - before).toBeLessThan(1_500);
      expect(() => bench.driver.calls[0]?.ctx.checkpoint()).toThrow('stopped: session');
      await eventually(() => bench.services.registrations.length === 2, 'registered again');
      expect(bench.services.registrations[1]?.session).not.toBe(session);
    },
  );

  it('an ended session reports its released tasks once, and counts the stale answer', async () => {
    bench.services.start();
    bench.services.open.push(aTask('n1'));
    bench.services.onReport = () => ({ status: 'stale' });
    bench.driver.script = untilAborted;
    const conductor = await bench.conductor();
    await conductor.start();
    await eventually(() => bench.driver.calls.length === 1, 'the task runs');
    const session = bench.services.registrations[0]?.session;
    bench.clock.jump(60_000);
    await eventually(() => conductor.counters.stale === 1 && conductor.counters.inFlight === 0, 'refused');
    const late = { attempt: 1, session, outcome: { type: 'released', reason: 'session' } };
    expect(bench.services.endsOf('task-of-n1')).toMatchObject([late]);
  });

  it('a session fails checkpoints after the process was suspended, even before a timer fires', async () => {
    bench.services.sessionTimeoutMs = 8_000;
    bench.services.start();
    bench.services.open.push(aTask('n1'));
    let atCheckpoint: unknown;
    bench.driver.script = async ({ ctx }) => {
      ctx.checkpoint();
      bench.clock.jump(6_001);
      try {
        ctx.checkpoint();
      } catch (error) {
        atCheckpoint = error;
      }
      return {};
    };
    const conductor = await bench.conductor();
    await conductor.start();
    await eventually(() => bench.services.registrations.length === 2, 'registered again');
    expect(String(atCheckpoint)).toContain('stopped: session');
    await eventually(() => conductor.counters.inFlight === 0, 'dropped');
    expect(bench.services.endsOf('task-of-n1').map(({ outcome }) => outcome.type)).toEqual(['released']);
    expect(conductor.counters.done).toBe(0);
  });

  it('a session ends at once when the answer to a heartbeat says so', async () => {
    bench.services.start();
    const conductor = await bench.conductor();
    await conductor.start();
    await eventually(() => conductor.counters.sessions === 1, 'registered');
    bench.services.heartbeatStatus = 'ended';
    await eventually(() => bench.services.registrations.length >= 2, 'registered again');
    bench.services.heartbeatStatus = 'ok';
    await eventually(() => conductor.counters.sessions >= 2, 'the next session');
  });

  it('a session ends when the connection breaks, stops its tasks, and is followed by another one', async () => {
    let breakConnection: () => void = () => undefined;
    jest.spyOn(bench.messaging, 'onBroken').mockImplementation(listener => {
      breakConnection = listener;
      return () => undefined;
    });
    bench.services.start();
    bench.services.open.push(aTask('n1'));
    bench.driver.script = untilAborted;
    const conductor = await bench.conductor();
    await conductor.start();
    await eventually(() => bench.driver.calls.length === 1, 'the task runs');
    const session = bench.services.registrations[0]?.session ?? '';
    const ask = (): Promise<unknown> =>
      bench.messaging.request(sessionSubject(session, groupToken('')), {}, { timeoutMs: 60_000 });
    expect(await ask()).toEqual({ session });
    breakConnection();
    expect(() => bench.driver.calls[0]?.ctx.checkpoint()).toThrow('stopped: session');
    await eventually(() => bench.services.registrations.length === 2, 'registered again');
    await expect(ask()).rejects.toBeInstanceOf(NoRespondersError);
  });

  it('a session ends when the service knows another session of the conductor', async () => {
    bench.services.start();
    bench.services.refuse.set('conductor.table', { code: 'session-ended', kind: 'conflict', detail: 'over' });
    const conductor = await bench.conductor();
    await conductor.start();
    await eventually(
      () => bench.tableOf(conductor).slotsOf('token-of-scripted').size === 3,
      'the table of the next session',
    );
    expect(bench.services.registrations).toHaveLength(2);
  });

  it('a session runs one driver call per resource at a time, also across sessions', async () => {
    bench.services.start();
    bench.services.open.push(aTask('n1'));
    let release: () => void = () => undefined;
    bench.driver.script = call =>
      bench.driver.calls.length === 1
        ? new Promise(resolve => (release = () => resolve({})))
        : Promise.resolve({ infrastructureId: `vm-of-attempt-${call.ctx.task.attempt}` });
    const conductor = await bench.conductor();
    await conductor.start();
    await eventually(() => bench.driver.calls.length === 1, 'the first call');
    bench.clock.jump(60_000);
    bench.services.open.push(aTask('n1', { attempt: 2 }), aTask('n2'));
    await eventually(() => conductor.counters.done === 1, 'another resource continues');
    expect(bench.driver.idsOf('node.create')).toEqual(['n1', 'n2']);
    release();
    await eventually(() => conductor.counters.done === 2, 'the second attempt');
    expect(bench.driver.mostRunning).toBe(2);
    const done = bench.services.endsOf('task-of-n1').filter(({ outcome }) => outcome.type === 'done');
    expect(done).toMatchObject([{ attempt: 2 }]);
  });
});
