import { aHolding, aTask, ConductorBench } from './testing/conductor-bench.js';
import { untilAborted } from './testing/scripted-driver.js';
import { eventually } from '@stave/platform/testing';

jest.setTimeout(120_000);

describe('A conductor that leaves', () => {
  let bench: ConductorBench;

  beforeEach(() => {
    bench = new ConductorBench();
    bench.services.holdings = [aHolding()];
    bench.services.start();
    bench.services.open.push(aTask('n1'));
  });
  afterEach(() => bench.close());

  it('a draining conductor finishes its tasks, claims no new task and leaves the ring', async () => {
    let finish: () => void = () => undefined;
    bench.driver.script = () => new Promise(resolve => (finish = () => resolve({})));
    const conductor = await bench.conductor();
    await conductor.start();
    await eventually(() => bench.driver.calls.length === 1, 'the task runs');
    bench.services.draining = true;
    bench.services.assign([]);
    await eventually(() => bench.tableOf(conductor).epoch === 2, 'the table with the request to leave');
    bench.services.assign([aHolding()]);
    bench.services.open.push(aTask('n2'));
    const claims = bench.services.claims.length;
    await eventually(() => bench.tableOf(conductor).epoch === 3, 'the last table');
    expect(bench.services.left).toEqual([]);
    finish();
    await conductor.stopped();
    expect(bench.services.endsOf('task-of-n1')[0]?.outcome.type).toBe('done');
    expect(bench.services.left).toEqual([bench.services.registrations[0]?.session]);
    expect(bench.services.claims).toHaveLength(claims);
    expect(bench.driver.closed).toBe(true);
  });

  it('a draining conductor releases unfinished tasks at the deadline', async () => {
    bench.driver.script = untilAborted;
    const conductor = await bench.conductor();
    await conductor.start();
    await eventually(() => bench.driver.calls.length === 1, 'the task runs');
    await conductor.drain(20);
    expect(bench.services.endsOf('task-of-n1')[0]?.outcome).toEqual({ type: 'released', reason: 'draining' });
    expect(bench.services.left).toHaveLength(1);
  });

  it('a draining conductor that is stopped shortens its drain', async () => {
    bench.driver.script = untilAborted;
    const conductor = await bench.conductor();
    await conductor.start();
    await eventually(() => bench.driver.calls.length === 1, 'the task runs');
    void conductor.drain(60_000);
    await conductor.stop();
    expect(bench.services.endsOf('task-of-n1')[0]?.outcome).toEqual({ type: 'released', reason: 'stopping' });
  });

  it('a conductor stops while no service is available', async () => {
    await bench.services.stop();
    const conductor = await bench.conductor();
    await conductor.start();
    await conductor.stop();
    await conductor.stopped();
    expect(bench.services.registrations).toEqual([]);
  });

  it('a killed conductor sends nothing', async () => {
    bench.driver.script = untilAborted;
    const conductor = await bench.conductor();
    await conductor.start();
    await eventually(() => bench.driver.calls.length === 1, 'the task runs');
    conductor.kill();
    const { heartbeats, claims } = bench.services;
    await conductor.stopped();
    await bench.messaging.flush(); // requests that were sent before
    const sent = [heartbeats.length, claims.length];
    await eventually(() => conductor.counters.inFlight === 0, 'dropped');
    const witness = await bench.conductor();
    await witness.start();
    await eventually(() => heartbeats.length >= (sent[0] ?? 0) + 5, 'time to say something');
    await eventually(() => claims.length >= (sent[1] ?? 0) + 5, 'time to ask for something');
    expect(heartbeats.slice(sent[0]).map(({ member }) => member)).not.toContain(conductor.id);
    expect(claims.slice(sent[1]).map(claim => claim.conductor)).not.toContain(conductor.id);
    expect(bench.services.reports).toEqual([]);
    expect(bench.services.left).toEqual([]);
  });
});
