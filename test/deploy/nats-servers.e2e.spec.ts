import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  describeOn,
  eventually,
  ferretMissing,
  natsProgramMissing,
  startNatsCluster,
  type ConfiguredNats,
} from '@stave/testing';
import { isDeepStrictEqual } from 'node:util';
import { startDistributed, type DistributedStack } from '../distributed/stack.js';
import { checkHistory } from '../fault/check-history.js';
import { outcomeFor, outcomeOf, runLifecycles } from '../fault/services/cluster-lifecycle.js';
import { RetryingClient } from '../fault/services/retrying-client.js';
import { readHistory } from '../fault/read-history.js';

jest.setTimeout(300_000);

const SERVICES = ['cluster-service', 'nodegroup-service', 'container-scheduler', 'api-gateway'];
const CONDUCTORS = ['one', 'two'];
const CLUSTERS = 2;

describeOn(
  natsProgramMissing() ?? ferretMissing(),
  'three servers of NATS, of which one is killed after the other',
  () => {
    let dataDir = '';
    let servers: readonly ConfiguredNats[] = [];
    let stack: DistributedStack;
    beforeAll(async () => {
      dataDir = await mkdtemp(join(tmpdir(), 'stave-nats-servers-'));
      servers = await startNatsCluster();
      const own = { NATS_URL: servers.map(server => server.url).join(',') };
      const names = [...SERVICES, ...CONDUCTORS];
      stack = await startDistributed({
        dataDir,
        conductors: CONDUCTORS.map(id => ({ id, group: '' })),
        envOf: Object.fromEntries(names.map(name => [name, own])),
      });
    });
    afterAll(async () => {
      await stack?.close();
      for (const server of servers) await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    });

    it('clusters live as without a loss, and no promise is broken', async () => {
      const client = new RetryingClient(stack.urls, stack.adminKey);
      const rounds: (readonly string[])[] = [];
      for (const [at, server] of servers.entries()) {
        const round = runLifecycles(client, `loss${at}-`, CLUSTERS);
        // in the middle of the work
        const found = eventually(async () => (await client.list('/v1/nodes')).length > 0, { timeoutMs: 60_000 });
        await Promise.all([round, found.then(() => server.kill())]);
        rounds.push(await round);
        await server.restart();
      }
      for (const ids of rounds) {
        await eventually(async () => isDeepStrictEqual(await outcomeOf(client, ids), outcomeFor(CLUSTERS)), {
          timeoutMs: 30_000,
        }).catch(async (error: unknown) => {
          expect(await outcomeOf(client, ids)).toEqual(outcomeFor(CLUSTERS));
          throw error;
        });
      }
      expect(checkHistory(await readHistory(stack))).toEqual([]);
    });
  },
);
