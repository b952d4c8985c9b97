import { eventually } from '@stave/platform/testing';
import { ConductorBench } from '../testing/conductor-bench.js';

jest.setTimeout(120_000);

describe('the drivers that a conductor offers', () => {
  let bench: ConductorBench;
  beforeEach(() => void (bench = new ConductorBench()));
  afterEach(() => bench.close());

  async function startWithoutDriver(): Promise<void> {
    bench.services.start();
    bench.driver.failOpenings = Infinity;
    const conductor = await bench.conductor();
    await conductor.start();
    await conductor.registered();
  }

  it('offers a driver only when it has opened, in the session that it has', async () => {
    const { services, driver } = bench;
    await startWithoutDriver();
    expect(services.registrations.map(({ drivers }) => drivers)).toEqual([[]]);
    driver.failOpenings = 0;
    await eventually(() => services.registrations.length === 2, 'the driver is offered');
    const [first, second] = services.registrations;
    expect(second).toMatchObject({ session: first?.session, drivers: [{ name: 'scripted' }] });
    expect(services.left).toEqual([]);
  });

  it('registers without a driver that does not finish to open, and keeps an opened driver in later sessions', async () => {
    const { services, driver } = bench;
    services.start();
    let finish: () => void = () => undefined;
    driver.opening = new Promise<void>(resolve => (finish = resolve));
    const conductor = await bench.conductor({ times: { openMs: 20 } });
    await conductor.start();
    await conductor.registered();
    expect(services.registrations.map(({ drivers }) => drivers.length)).toEqual([0]);
    finish();
    await eventually(() => services.registrations.length === 2, 'the driver is offered');
    services.heartbeatStatus = 'ended';
    await eventually(() => services.registrations.length > 2, 'another session');
    expect(services.registrations[2]).toMatchObject({ drivers: [{ name: 'scripted' }] });
    expect(services.registrations[2]?.session).not.toBe(services.registrations[1]?.session);
  });

  it('starts another session where services refuse that a session offers more', async () => {
    const { services, driver } = bench;
    await startWithoutDriver();
    services.refuse.set('conductor.register', { code: 'session-in-use', kind: 'conflict', detail: 'other data' });
    driver.failOpenings = 0;
    const isOffered = (): boolean => services.registrations.at(-1)?.drivers.length === 1;
    await eventually(isOffered, 'the driver is offered');
    expect(services.registrations.at(-1)?.session).not.toBe(services.registrations[0]?.session);
  });
});
