import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeOn, eventually, freePort, natsMissing } from '@stave/testing';
import { startDistributed, type DistributedStack } from './stack.js';

jest.setTimeout(240_000);

describeOn(natsMissing(), 'the health port of a conductor', () => {
  let dataDir = '';
  let stack: DistributedStack;
  let health = 0;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'stave-conductor-health-'));
    health = await freePort();
    const env = { HEALTH_PORT: String(health) };
    stack = await startDistributed({ dataDir, conductors: [{ id: 'one', group: '', env }] });
  });
  afterAll(async () => {
    await stack?.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const answer = async (path: string): Promise<{ readonly status: number; readonly text: string }> => {
    const got = await fetch(`http://127.0.0.1:${health}${path}`);
    return { status: got.status, text: await got.text() };
  };
  const readyIs = (status: number): Promise<unknown> =>
    eventually(async () => (await answer('/readyz')).status === status, {
      timeoutMs: 60_000,
      what: `/readyz of the conductor answers ${status}`,
    });

  it('the conductor is ready while it is registered, and alive whatever the others do', async () => {
    await readyIs(200);
    expect((await answer('/metrics')).text).toContain('process_cpu_seconds_total');
    await stack.process('cluster-service').kill();
    await readyIs(503);
    expect(JSON.parse((await answer('/readyz')).text)).toMatchObject({
      checks: { registration: 'no service has registered this conductor' },
    });
    expect((await answer('/livez')).status).toBe(200);
    await stack.process('cluster-service').start();
    await readyIs(200);
    expect(await stack.process('one').stop()).toMatchObject({ code: 0 });
  });
});
