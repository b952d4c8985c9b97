import { aHolding, aTask, ConductorBench } from './testing/conductor-bench.js';
import { untilAborted } from './testing/scripted-driver.js';
import { eventually } from '@stave/platform/testing';

jest.setTimeout(60_000);

describe('A conductor that leaves', () => {
  let bench: ConductorBench;

  beforeEach(() => {
    bench = new ConductorBench();
    bench.services.holdings = [aHolding()];
    bench.services.start();
    bench.services.open.push(aTask('n1'));
  });
  afterEach(() => bench.close());

  it('finishes its tasks, claims nothing new and leaves the ring when the table says that it drains', async () => {
    let finish: () => void = () => undefined;
    bench.driver.script = () => new Promise(resolve => (finish = () => resolve({})));
    const conductor = await bench.conductor();
    await conductor.start();
    await eventually(() => bench.driver.calls.length === 1, 'the task runs');
    bench.services.draining = true;
    bench.services.assign([]);
    await eventually(() => conductor.health().state === 'leaving', 'leaving');
    bench.services.assign([aHolding()]);
    bench.services.open.push(aTask('n2'));
    const claims = bench.services.claims.length;
    await eventually(() => conductor.health().epoch === 3, 'the last table');
    expect(bench.services.left).toEqual([]);
    finish();
    await conductor.stopped();
    expect(bench.services.endsOf('task-of-n1')[0]?.outcome.type).toBe('done');
    expect(bench.services.left).toEqual([bench.services.registrations[0]?.session]);
    expect(bench.services.claims).toHaveLength(claims);
    expect(bench.driver.closed).toBe(true);
    expect(conductor.health().state).toBe('stopped');
  });

  it('releases unfinished tasks at the deadline of a drain', async () => {
    bench.driver.script = untilAborted;
    const conductor = await bench.conductor();
    await conductor.start();
    await eventually(() => bench.driver.calls.length === 1, 'the task runs');
    await conductor.drain(20);
    expect(bench.services.endsOf('task-of-n1')[0]?.outcome).toEqual({ type: 'released', reason: 'draining' });
    expect(bench.services.left).toHaveLength(1);
  });

  it('shortens a drain when it is stopped', async () => {
    bench.driver.script = untilAborted;
    const conductor = await bench.conductor();
    await conductor.start();
    await eventually(() => bench.driver.calls.length === 1, 'the task runs');
    void conductor.drain(60_000);
    await conductor.stop();
    expect(bench.services.endsOf('task-of-n1')[0]?.outcome).toEqual({ type: 'released', reason: 'stopping' });
  });

  it('stops while no service is available', async () => {
    await bench.services.stop();
    const conductor = await bench.conductor();
    await conductor.start();
    await conductor.stop();
    expect(conductor.health().state).toBe('stopped');
  });

  it('sends nothing after it was killed', async () => {
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
