import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  describeOn,
  eventStoreNotReplaceable,
  eventually,
  ferretMissing,
  natsMissing,
  StaveClient,
} from '@stave/testing';
import { startDistributed, type DistributedStack } from '../../distributed/stack.js';
import { RetryingClient } from './retrying-client.js';

const SERVICES = ['cluster-service', 'nodegroup-service', 'container-scheduler', 'api-gateway'];
const LISTS = ['clusters', 'node-groups', 'nodes', 'operations'];
const PATIENCE_MS = 120_000;
const nodeGroups = [{ name: 'w', role: 'worker', count: 2, flavor: { cpus: 1, memoryMb: 512 } }];

interface Listed {
  readonly items: readonly { readonly id: string; readonly clusterId?: string }[];
}

describeOn(
  natsMissing() ?? ferretMissing() ?? eventStoreNotReplaceable(),
  'an event log that is replaced beside old read models',
  () => {
    let dataDir: string;
    let stack: DistributedStack;

    beforeAll(async () => {
      dataDir = await mkdtemp(join(tmpdir(), 'stave-fault-replaced-'));
      stack = await startDistributed({ dataDir, conductors: [{ id: 'one', group: '' }], mongo: true });
    }, 180_000);

    afterAll(async () => {
      await stack?.close();
      await rm(dataDir, { recursive: true, force: true });
    }, 120_000);

    it('no document of the old log is served, and everything works on the new one', async () => {
      const client = new RetryingClient(stack.urls, stack.adminKey);
      const old = await client.succeeded<{ id: string }>('POST', '/v1/clusters', 'old', {
        name: 'old',
        driver: 'fake',
        nodeGroups,
      });
      for (const list of LISTS) expect((await client.list(`/v1/${list}`)).length).toBeGreaterThan(0);
      for (const name of ['one', ...SERVICES, 'event-store']) await stack.process(name).kill();
      await rm(join(dataDir, 'event-store'), { recursive: true });
      await stack.process('event-store').start();
      for (const name of SERVICES) await stack.process(name).start();

      const api = new StaveClient(stack.url, stack.adminKey);
      for (const list of LISTS) {
        const answered = async (): Promise<Listed | undefined> => {
          const { status, body } = await api.get<Listed>(`/v1/${list}`);
          return status === 200 ? body : undefined;
        };
        // the first answer that is not 503
        const { items } = await eventually(answered, {
          timeoutMs: PATIENCE_MS,
          everyMs: 10,
          what: `a list of ${list}`,
        });
        expect([list, items]).toEqual([list, []]);
      }
      expect((await api.get(`/v1/clusters/${old.id}`)).status).toBe(404);

      await stack.process('one').start();
      // positions that the first client has seen are not of this log
      const later = new RetryingClient(stack.urls, stack.adminKey);
      const fresh = await later.succeeded<{ id: string }>('POST', '/v1/clusters', 'fresh', {
        name: 'old',
        driver: 'fake',
        nodeGroups,
      });
      expect(await later.list('/v1/clusters')).toMatchObject([{ id: fresh.id, name: 'old', status: 'ACTIVE' }]);
      const nodes = await later.list<{ clusterId: string }>('/v1/nodes');
      expect(nodes.map(({ clusterId }) => clusterId)).toEqual([fresh.id, fresh.id]);
    }, 300_000);
  },
);
