import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeOn, eventually, mongoNotRestartable, natsMissing, type OperationView } from '@stave/testing';
import { startDistributed, type DistributedStack } from '../../distributed/stack.js';
import { clusterRequest } from './expected-clusters.js';
import { RetryingClient } from './retrying-client.js';

const SERVICES = ['cluster-service', 'nodegroup-service', 'container-scheduler'];

describeOn(natsMissing() ?? mongoNotRestartable(), 'a document store that is away', () => {
  let dataDir: string;
  let stack: DistributedStack;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'stave-fault-documents-'));
    stack = await startDistributed({ dataDir, conductors: [{ id: 'one', group: '' }], mongo: true });
  }, 240_000);

  afterAll(async () => {
    await stack?.close();
    await rm(dataDir, { recursive: true, force: true });
  }, 60_000);

  it('takes no service and no command out of service; the work is done, and shown when the store is back', async () => {
    await stack.mongo?.kill();
    const states = (): Promise<readonly unknown[]> =>
      Promise.all(
        SERVICES.map(async name => {
          const answer = await fetch(`http://127.0.0.1:${stack.process(name).setting('HEALTH_PORT')}/readyz`);
          return [answer.status, await answer.json()];
        }),
      );
    const ready = [200, { status: 'ready', checks: { documentStore: 'down' } }];
    expect(await states()).toEqual(SERVICES.map(() => ready));
    const request = { method: 'POST', body: JSON.stringify(clusterRequest('away')) };
    const headers = { authorization: `Bearer ${stack.adminKey}`, 'content-type': 'application/json' };
    const accepted = await fetch(`${stack.url}/v1/clusters`, { ...request, headers });
    expect(accepted.status).toBe(202);
    expect((await fetch(`${stack.url}/readyz`)).status).toBe(200);
    await stack.mongo?.restart();
    const client = new RetryingClient(stack.urls, stack.adminKey);
    const ended = async (): Promise<boolean> =>
      (await client.list<OperationView>('/v1/operations')).some(({ status }) => status === 'SUCCEEDED');
    await eventually(ended, {
      timeoutMs: 120_000,
      what: 'the operation of the accepted command is shown as SUCCEEDED',
    });
  }, 240_000);
});
