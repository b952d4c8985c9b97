import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEventStore, serveEventStore, type EventStoreServer } from '@stave/platform';
import { describeOn, eventually, natsMissing } from '@stave/testing';
import { startDistributed, type DistributedStack } from '../../distributed/stack.js';
import { checkHistory } from '../check-history.js';
import { readHistory } from '../read-history.js';
import { Crasher } from './crasher.js';
import { walksAllSteps } from './fault.config.js';
import { inParallel } from './in-parallel.js';
import { PatientClient } from './patient-client.js';
import { StepWalk, type FollowedRequest } from './step-walk.js';
import { firstAndLastOfEach, firstOfEach, told, type Step } from './steps.js';
import { WatchedStore } from './watched-store.js';
import { bodyOf, brokenClusters, leftOvers } from './whole.js';

const AT_ONCE = 6;
const END_MS = 90_000;
const QUIET_MS = 500;
const SERVICES = ['cluster-service', 'nodegroup-service', 'container-scheduler'];

interface Resource {
  readonly id: string;
  readonly name: string;
}

describeOn(
  natsMissing(),
  'a service killed right after a step of "create cluster with groups", of its rebuild, or of its deletion',
  () => {
    let dataDir: string;
    let store: WatchedStore;
    let server: EventStoreServer;
    let stack: DistributedStack;
    let client: PatientClient;
    let crasher: Crasher;
    let walk: StepWalk;
    let creation: readonly Step[] = [];
    let rebuilding: readonly Step[] = [];
    let deletion: readonly Step[] = [];

    beforeAll(async () => {
      dataDir = await mkdtemp(join(tmpdir(), 'stave-fault-steps-'));
      store = new WatchedStore(await EmbeddedEventStore.open({ directory: join(dataDir, 'event-store') }));
      server = await serveEventStore(store);
      stack = await startDistributed({
        dataDir,
        conductors: ['one', 'two'].map(id => ({ id, group: '' })),
        eventStoreUrl: `esdb://127.0.0.1:${server.port}?tls=false`,
        env: { REQUEST_TIMEOUT_MS: '1500' },
      });
      client = new PatientClient(stack.urls, stack.adminKey);
      crasher = new Crasher(stack);
      walk = new StepWalk(store, crasher);
    }, 120_000);

    afterAll(async () => {
      await stack?.close();
      await server?.close();
      await store?.close();
      await rm(dataDir, { recursive: true, force: true });
    }, 60_000);

    const quiet = (): Promise<boolean> => eventually(() => store.quietMs > QUIET_MS, { timeoutMs: END_MS });

    async function ended(request: FollowedRequest): Promise<FollowedRequest> {
      const what = (): string => `the end of ${request.request}, which is at ${told(request.steps.at(-1))}`;
      await eventually(() => request.ended, { timeoutMs: END_MS }).catch((cause: unknown) => {
        throw new Error(`not within ${END_MS} ms: ${what()}`, { cause });
      });
      return request;
    }

    async function create(name: string, after?: Step, key = `create-${name}`): Promise<FollowedRequest> {
      const request = walk.follow(key, after ? { after } : {});
      await client.accepted('POST', '/v1/clusters', request.request, bodyOf(name));
      return ended(request);
    }

    async function rebuild({ id, name }: Resource, after?: Step): Promise<FollowedRequest> {
      const request = walk.follow(`rebuild-${name}`, { clusterId: id, ...(after ? { after } : {}) });
      await client.accepted('POST', `/v1/clusters/${id}/actions/rebuild`, request.request, {});
      return ended(request);
    }

    async function remove({ id, name }: Resource, after?: Step): Promise<FollowedRequest> {
      const request = walk.follow(`delete-${name}`, { clusterId: id, ...(after ? { after } : {}) });
      await client.accepted('DELETE', `/v1/clusters/${id}`, request.request);
      return ended(request);
    }

    async function settled(): Promise<void> {
      await quiet();
      await crasher.settled();
      await quiet();
      walk.leave();
    }

    /** One request for each step, after which the step's service is killed; a repeated step may not come in every run. */
    async function crashAfterEach(
      steps: readonly Step[],
      act: (step: Step, at: number) => Promise<FollowedRequest>,
    ): Promise<void> {
      const requests: FollowedRequest[] = [];
      await inParallel(steps, AT_ONCE, async (step, at) => void (requests[at] = await act(step, at)));
      const missed = (): readonly Step[] => steps.filter((_, at) => !requests[at]?.crashed);
      // a new leader may take longer to begin than the quiet that `settled` looks for
      await eventually(() => missed().every(({ nth }) => nth > 1), { timeoutMs: END_MS }).catch((cause: unknown) => {
        throw new Error(`never reached: ${missed().map(told).join('; ')}`, { cause });
      });
      await settled();
      if (missed().length > 0) console.info(`not in this run: ${missed().map(told).join('; ')}`);
    }

    it('knows the steps from a run in which none is killed', async () => {
      const made = await create('quiet');
      await settled();
      expect(await brokenClusters(client, ['quiet'])).toEqual([]);
      const [cluster] = await client.list<Resource>('/v1/clusters');
      const rebuilt = await rebuild(cluster as Resource);
      await settled();
      expect(await brokenClusters(client, ['quiet'])).toEqual([]);
      const removed = await remove(cluster as Resource);
      await settled();
      expect(await leftOvers(client, stack.journalPath)).toEqual([]);
      creation = walksAllSteps() ? made.steps : firstAndLastOfEach(made.steps);
      rebuilding = walksAllSteps() ? rebuilt.steps : firstOfEach(rebuilt.steps);
      deletion = walksAllSteps() ? removed.steps : firstOfEach(removed.steps);
      expect(creation.length).toBeGreaterThan(12);
      expect(rebuilding.length).toBeGreaterThan(12);
      expect(deletion.length).toBeGreaterThan(12);
    }, 60_000);

    it('leaves a whole cluster, whichever step of its creation it was', async () => {
      await crashAfterEach(creation, (step, at) => create(`c${at}`, step));
      const names = creation.map((_, at) => `c${at}`);
      expect(await brokenClusters(client, names)).toEqual([]);
      expect(checkHistory(await readHistory(stack))).toEqual([]);
    }, 200_000);

    it('builds every node anew, once, whichever step of a rebuild it was', async () => {
      const missing = rebuilding.slice((await client.list('/v1/clusters')).length);
      await inParallel(missing, AT_ONCE, async (_, at) => void (await create(`again${at}`)));
      const clusters = await client.list<Resource>('/v1/clusters');
      const units = async (): Promise<ReadonlyMap<string, string>> => {
        const nodes = await client.list<{ id: string; infrastructureId: string }>('/v1/nodes');
        return new Map(nodes.map(node => [node.id, node.infrastructureId]));
      };
      const before = await units();
      const some = clusters.slice(0, rebuilding.length);
      await crashAfterEach(rebuilding, (step, at) => rebuild(some[at] as Resource, step));
      expect(
        await brokenClusters(
          client,
          clusters.map(({ name }) => name),
        ),
      ).toEqual([]);
      const after = await units();
      expect([...after.keys()].sort()).toEqual([...before.keys()].sort());
      const nodes = await client.list<{ id: string; clusterId: string }>('/v1/nodes');
      const rebuilt = nodes.filter(({ clusterId }) => some.some(({ id }) => id === clusterId));
      expect(rebuilt.filter(({ id }) => after.get(id) === before.get(id))).toEqual([]);
      expect(checkHistory(await readHistory(stack))).toEqual([]);
    }, 200_000);

    it('leaves nothing, whichever step of its deletion it was', async () => {
      const missing = deletion.slice((await client.list('/v1/clusters')).length);
      await inParallel(missing, AT_ONCE, async (_, at) => void (await create(`more${at}`)));
      const clusters = await client.list<Resource>('/v1/clusters');
      await crashAfterEach(deletion, (step, at) => remove(clusters[at] as Resource, step));
      await inParallel(clusters.slice(deletion.length), AT_ONCE, async cluster => void (await remove(cluster)));
      await settled();
      expect(await leftOvers(client, stack.journalPath)).toEqual([]);
      expect(checkHistory(await readHistory(stack))).toEqual([]);
      const deaths = SERVICES.map(name => `${name} ${crasher.deathsOf(name)}`).join(', ');
      const steps = `${creation.length} steps of creation, ${rebuilding.length} of a rebuild, ${deletion.length} of deletion`;
      console.info(`${steps}; killed: ${deaths}`);
    }, 200_000);

    it('frees the names', async () => {
      await create('c0', undefined, 'create-again');
      await settled();
      expect(await brokenClusters(client, ['c0'])).toEqual([]);
    }, 60_000);
  },
);
