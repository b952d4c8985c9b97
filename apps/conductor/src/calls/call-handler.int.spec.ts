import { pino } from 'pino';
import { callSubject, type CallRequest } from '@stave/contracts';
import { DriverError } from '@stave/driver-sdk';
import { NoRespondersError, RequestTimeoutError } from '@stave/platform';
import { eventually } from '@stave/platform/testing';
import type { Conductor } from '../conductor.js';
import { aHolding, ConductorBench } from '../testing/conductor-bench.js';

jest.setTimeout(120_000);

describe('Calls to a conductor', () => {
  let bench: ConductorBench;
  let conductor: Conductor;
  let lines: string[];

  beforeEach(async () => {
    bench = new ConductorBench();
    bench.services.holdings = [aHolding([5])];
    bench.services.start();
    lines = [];
    conductor = await bench.conductor({ log: pino({ level: 'info' }, { write: line => void lines.push(line) }) });
    await conductor.start();
    await eventually(() => bench.tableOf(conductor).epoch === 1, 'the first table');
    await eventually(() => bench.openDriversOf(conductor).length === 1, 'the driver is open');
  });
  afterEach(() => bench.close());

  const ask = (slot: number, request: unknown): Promise<unknown> =>
    bench.messaging.request(callSubject('token-of-scripted', slot), request, { timeoutMs: 100 });

  const credentials: CallRequest = {
    kind: 'cluster.credentials',
    driver: { name: 'scripted', version: '1.0.0' },
    spec: { id: 'c1', clusterId: 'c1', generation: 1, options: {} },
  };

  it('a call to the holder of a slot is answered with the result of the driver', async () => {
    expect(await ask(5, credentials)).toEqual({ ok: true, data: { token: 'of c1' } });
  });

  it('a call that the driver fails is answered with the failure of the driver', async () => {
    const reply = await ask(5, { ...credentials, kind: 'container.stats' });
    expect(reply).toMatchObject({ ok: false, error: { kind: 'unsupported' } });
  });

  it('a call that the driver refuses is answered with the error code of the driver', async () => {
    bench.driver.credentials = () =>
      Promise.reject(new DriverError('conflict', 'it does not run', { code: 'not-running' }));
    const error = { code: 'not-running', kind: 'conflict', detail: 'it does not run' };
    expect(await ask(5, credentials)).toEqual({ ok: false, error });
  });

  it('the log of a call that the driver refuses is no warning and has no stack, unlike that of a failure', async () => {
    for (const failure of ['conflict', 'transient'] as const) {
      bench.driver.credentials = () => Promise.reject(new DriverError(failure, 'no', { cause: 'c' }));
      await ask(5, credentials);
    }
    const logged = lines.flatMap(text => (text.includes('"call ') ? [JSON.parse(text) as object] : []));
    expect(logged).toMatchObject([
      { level: 30, msg: 'call refused', code: 'driver-conflict', reason: 'no' },
      { level: 40, msg: 'call failed', err: { stack: expect.any(String) } },
    ]);
    expect(logged.map(line => 'err' in line)).toEqual([false, true]);
  });

  it('a message that is not a known call is refused', async () => {
    expect(await ask(5, { ...credentials, kind: 'cluster.delete' })).toMatchObject({
      ok: false,
      error: { kind: 'invalid' },
    });
  });

  it('a conductor does not answer a call for a version that it does not hold', async () => {
    const other = { ...credentials, driver: { name: 'scripted', version: '2.0.0' } };
    await expect(ask(5, other)).rejects.toThrow(RequestTimeoutError);
  });

  it('a call to a slot that the conductor does not hold or has lost has no responder', async () => {
    await expect(ask(6, credentials)).rejects.toThrow(NoRespondersError);
    bench.services.assign([aHolding([6])]);
    await eventually(() => bench.tableOf(conductor).epoch === 2, 'the new table');
    await expect(ask(5, credentials)).rejects.toThrow(NoRespondersError);
    expect(await ask(6, credentials)).toMatchObject({ ok: true });
  });
});
