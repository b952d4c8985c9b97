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
  }, 120_000);

  const readiness = (): Promise<readonly unknown[]> =>
    Promise.all(
      SERVICES.map(async name => {
        const answer = await fetch(`http://127.0.0.1:${stack.process(name).setting('HEALTH_PORT')}/readyz`);
        return [answer.status, await answer.json()];
      }),
    );
  const READY_WITHOUT_DOCUMENTS = [200, { status: 'ready', checks: { documentStore: 'down' } }];

  /** Creates a cluster while the store is away. */
  async function accept(name: string): Promise<void> {
    const request = { method: 'POST', body: JSON.stringify(clusterRequest(name)) };
    const headers = { authorization: `Bearer ${stack.adminKey}`, 'content-type': 'application/json' };
    const accepted = await fetch(`${stack.url}/v1/clusters`, { ...request, headers });
    expect(accepted.status).toBe(202);
    expect((await fetch(`${stack.url}/readyz`)).status).toBe(200);
  }

  async function listsName503(): Promise<void> {
    const problem = { code: 'dependency-unavailable', detail: 'the read model store does not answer' };
    for (const path of ['/v1/clusters', '/v1/nodes', '/v1/containers']) {
      const { status, body } = await stack.rest.get(path);
      expect([path, status, body]).toEqual([path, 503, expect.objectContaining(problem)]);
    }
  }

  async function shown(operations: number): Promise<void> {
    const client = new RetryingClient(stack.urls, stack.adminKey);
    const ended = async (): Promise<boolean> => {
      const all = await client.list<OperationView>('/v1/operations');
      return all.filter(({ status }) => status === 'SUCCEEDED').length === operations;
    };
    const what = 'the operations of the accepted commands are shown as SUCCEEDED';
    await eventually(ended, { timeoutMs: 120_000, what });
  }

  it('takes no service and no command out of service; the work is done, and shown when the store is back', async () => {
    await stack.mongo?.kill();
    expect(await readiness()).toEqual(SERVICES.map(() => READY_WITHOUT_DOCUMENTS));
    await accept('away');
    await listsName503();
    await stack.mongo?.restart();
    await shown(1);
  }, 240_000);

  it('does not keep services from starting and taking commands; lists answer 503 and name it until it is there', async () => {
    await stack.mongo?.kill();
    for (const name of SERVICES) await stack.process(name).kill();
    await Promise.all(SERVICES.map(name => stack.process(name).start()));
    expect(await readiness()).toEqual(SERVICES.map(() => READY_WITHOUT_DOCUMENTS));
    await accept('absent');
    await listsName503();
    await stack.mongo?.restart();
    await shown(2);
    expect(await readiness()).toEqual(SERVICES.map(() => [200, { status: 'ready', checks: { documentStore: 'ok' } }]));
  }, 240_000);
});
