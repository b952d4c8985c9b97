import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, freePort, repositoryRoot } from '@stave/testing';
import { inheritedEnvironment } from '../../distributed/distributed.config.js';
import { ManagedProcess, RestClient } from '../../distributed/stack.js';

const TIMEOUT_MS = 240_000;

describe('a task that ends the process of the whole product', () => {
  let dataDir: string;
  let product: ManagedProcess;
  let port: number;
  const rest = async (): Promise<RestClient> =>
    new RestClient(`http://127.0.0.1:${port}`, (await readFile(join(dataDir, 'admin.key'), 'utf8')).trim());

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'stave-fault-deadly-embedded-'));
    port = await freePort();
    product = new ManagedProcess('stave', {
      entry: join(repositoryRoot(), 'apps/all-in-one/dist/main.js'),
      env: {
        ...inheritedEnvironment(),
        DATA_DIR: dataDir,
        PORT: String(port),
        DRIVERS_ENABLED: 'fake',
        FAKE_DEADLY_CALLS: join(dataDir, 'deadly-calls'),
      },
      cwd: dataDir,
      logFile: join(dataDir, 'stave.log'),
      ready: async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok,
    });
  });
  afterAll(async () => {
    await product.stop();
    await rm(dataDir, { recursive: true, force: true });
  }, 120_000);

  it(
    'the product ends four times and then stays up with the task failed; a retry succeeds when the cause is gone',
    async () => {
      const deadlyCalls = join(dataDir, 'deadly-calls');
      await writeFile(deadlyCalls, 'node.create workers-0 kill\n');
      await product.start();
      const nodeGroups = [{ name: 'workers', role: 'worker', count: 1, flavor: { cpus: 1, memoryMb: 512 } }];
      await (
        await rest()
      )
        .call('POST', '/v1/clusters', { name: 'c', driver: 'fake', nodeGroups })
        .catch(() => undefined);
      let ends = 0;
      const node = async () => (await (await rest()).list('/v1/nodes'))[0];
      const options = { timeoutMs: TIMEOUT_MS, everyMs: 200, what: 'the task failed' };
      await eventually(async () => {
        if (!product.running) {
          ends += 1;
          await product.start().catch(() => undefined); // it may end before it answers
        }
        return (await node().catch(() => undefined))?.['status'] === 'FAILED';
      }, options);
      expect([product.running, ends]).toEqual([true, 4]);
      const failed = await node();
      expect(failed?.['attempts']).toBe(4);
      expect(failed?.['statusReason']).toMatch(
        /^4 conductors in a row ended .*conductor \(attempt 4\): .*this call ends the process/,
      );
      await rm(deadlyCalls);
      const api = await rest();
      expect((await api.call('POST', `/v1/nodes/${String(failed?.['id'])}/actions/retry`)).status).toBe(202);
      await eventually(async () => (await api.list('/v1/clusters'))[0]?.['status'] === 'ACTIVE', options);
    },
    TIMEOUT_MS * 2,
  );
});
