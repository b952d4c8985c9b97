import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeOn, eventually, natsMissing, StaveClient } from '@stave/testing';
import { startDistributed, type DistributedStack } from '../../distributed/stack.js';

const ROUNDS = 3;
const PATIENCE_MS = 60_000;
const flavor = { cpus: 1, memoryMb: 512 };

/** By service: a command on a cluster that was accepted while the service was down. */
const commands: Readonly<Record<string, (cluster: string) => readonly [path: string, body: object]>> = {
  'nodegroup-service': cluster => [`/v1/clusters/${cluster}/node-groups/w/actions/resize`, { count: 2 }],
  'container-scheduler': cluster => ['/v1/container-profiles', { name: cluster, image: 'i:1', hostCluster: cluster }],
};

describeOn(natsMissing(), 'commands on what was accepted while their service was down', () => {
  let dataDir: string;
  let stack: DistributedStack;
  let client: StaveClient;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'stave-fault-accepted-'));
    stack = await startDistributed({ dataDir, conductors: [{ id: 'one', group: '' }] });
    client = new StaveClient(stack.url, stack.adminKey);
  }, 120_000);

  afterAll(async () => {
    await stack?.close();
    await rm(dataDir, { recursive: true, force: true });
  }, 120_000);

  it.each(Object.entries(commands))(
    'of %s are accepted or answered 503 with Retry-After, and never 404, from the first answer after its start',
    async (service, command) => {
      const refused: string[] = [];
      let unavailable = 0;
      for (let round = 0; round < ROUNDS; round += 1) {
        await stack.process(service).kill();
        const name = `${service}-${round}`;
        const nodeGroups = [{ name: 'w', role: 'worker', count: 1, flavor }];
        const accepted = await client.post('/v1/clusters', { name, driver: 'fake', nodeGroups });
        expect(accepted.status).toBe(202);
        const started = stack.process(service).start();
        const [path, body] = command(name);
        const isAccepted = async (): Promise<boolean> => {
          const answer = await client.send('POST', path, { idempotencyKey: name, body });
          if (answer.status === 201 || answer.status === 202) return true;
          if (answer.status !== 503) refused.push(`${round}: ${answer.status} ${answer.text}`);
          else if (answer.headers.get('retry-after') === null) refused.push(`${round}: 503 without Retry-After`);
          else unavailable += 1;
          return false;
        };
        await eventually(isAccepted, { timeoutMs: PATIENCE_MS, everyMs: 5, what: `the command on ${name}` });
        await started;
      }
      console.info(`${service}: ${ROUNDS} commands accepted after ${unavailable} answers 503`);
      expect(refused).toEqual([]);
    },
    300_000,
  );
});
