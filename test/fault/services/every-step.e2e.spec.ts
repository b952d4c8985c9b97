import { appendFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEventStore, serveEventStore, type EventStoreServer } from '@stave/platform';
import { describeOn, eventually, natsMissing } from '@stave/testing';
import { startDistributed, type DistributedStack } from '../../distributed/stack.js';
import { checkHistory } from '../check-history.js';
import { readHistory } from '../read-history.js';
import { Crasher } from './crasher.js';
import { inParallel } from './in-parallel.js';
import { PatientClient } from './patient-client.js';
import { StepWalk, type FollowedRequest } from './step-walk.js';
import { distinct, told, type Step } from './steps.js';
import { WatchedStore } from './watched-store.js';
import { bodyOf, brokenClusters, leftOvers } from './whole.js';

const AT_ONCE = 5;
const END_MS = 60_000;
const QUIET_MS = 700;

interface Resource {
  readonly id: string;
  readonly name: string;
}

describeOn(
  natsMissing(),
  'a service that is killed after a step of "create cluster with groups" or of its deletion',
  () => {
    let dataDir: string;
    let store: WatchedStore;
    let server: EventStoreServer;
    let stack: DistributedStack;
    let client: PatientClient;
    let crasher: Crasher;
    let walk: StepWalk;
    let creation: readonly Step[] = [];
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
      if (process.env.KEEP === undefined) await rm(dataDir, { recursive: true, force: true });
    }, 60_000);

    const ended = (request: FollowedRequest): Promise<boolean> =>
      eventually(() => request.ended, { timeoutMs: END_MS, what: `the end of ${request.request}` }).catch(
        (e: unknown) => {
          const { ms, after } = request.longestPause;
          appendFileSync('/tmp/walk.log', `LOST ${request.request} ${ms} after ${after}\n`);
          throw e;
        },
      );
    const quiet = (): Promise<boolean> => eventually(() => store.quietMs > QUIET_MS, { timeoutMs: END_MS });

    async function create(name: string, after?: Step): Promise<FollowedRequest> {
      const request = walk.follow(`create-${name}`, after ? { after } : {});
      await client.accepted('POST', '/v1/clusters', request.request, bodyOf(name));
      appendFileSync('/tmp/walk.log', `accepted ${name}\n`);
      await ended(request);
      return request;
    }

    async function remove({ id, name }: Resource, after?: Step): Promise<FollowedRequest> {
      const request = walk.follow(`delete-${name}`, { clusterId: id, ...(after ? { after } : {}) });
      await client.accepted('DELETE', `/v1/clusters/${id}`, request.request);
      await ended(request);
      return request;
    }

    /** Does one request for each step, and tells the steps after which nothing was killed. */
    async function crashAfterEach(steps: readonly Step[], act: (step: Step, at: number) => Promise<FollowedRequest>) {
      const requests = new Map<Step, FollowedRequest>();
      const log = (line: string) => appendFileSync('/tmp/walk.log', `${new Date().toISOString().slice(14)} ${line}\n`);
      await inParallel(steps, AT_ONCE, async (step, at) => {
        log(`begin ${at} ${told(step)}`);
        const request = await act(step, at);
        requests.set(step, request);
        const { ms, after, before } = request.longestPause;
        log(`end ${at} ${request.crashed} ${(ms / 1000).toFixed(1)} ${after} -> ${before}`);
      });
      log('ended');
      await quiet();
      log('quiet');
      await crasher.settled();
      log('settled');
      await quiet();
      walk.leave();
      return steps.filter(step => !requests.get(step)?.crashed).map(told);
    }

    it('knows the steps from a run in which nothing happens', async () => {
      const made = await create('quiet');
      await quiet();
      walk.leave();
      expect(await brokenClusters(client, ['quiet'])).toEqual([]);
      const [cluster] = await client.list<Resource>('/v1/clusters');
      const removed = await remove(cluster as Resource);
      await quiet();
      walk.leave();
      expect(await leftOvers(client, stack.journalPath)).toEqual([]);
      creation = distinct(made.steps);
      deletion = distinct(removed.steps);
      console.info([...made.steps.map(told), '--', ...removed.steps.map(told)].join('\n'));
      expect(creation.length).toBeGreaterThan(15);
      expect(deletion.length).toBeGreaterThan(15);
    }, 60_000);

    it('leaves a whole cluster, whichever step of its creation it was', async () => {
      const missed = await crashAfterEach(creation, (step, at) => create(`c${at}`, step));
      expect(missed).toEqual([]);
      expect(
        await brokenClusters(
          client,
          creation.map((_, at) => `c${at}`),
        ),
      ).toEqual([]);
      expect(checkHistory(await readHistory(stack))).toEqual([]);
    }, 150_000);

    it('leaves nothing, whichever step of its deletion it was', async () => {
      await inParallel(deletion.slice(creation.length), AT_ONCE, async (_, at) => void (await create(`more${at}`)));
      const clusters = await client.list<Resource>('/v1/clusters');
      const missed = await crashAfterEach(deletion, (step, at) => remove(clusters[at] as Resource, step));
      expect(missed).toEqual([]);
      for (const rest of clusters.slice(deletion.length)) await remove(rest);
      await quiet();
      expect(await leftOvers(client, stack.journalPath)).toEqual([]);
      expect(checkHistory(await readHistory(stack))).toEqual([]);
      console.info(`${creation.length} steps of creation, ${deletion.length} of deletion; ${told2(crasher)}`);
    }, 150_000);
  },
);

const services = ['cluster-service', 'nodegroup-service', 'container-scheduler'];
const told2 = (crasher: Crasher): string =>
  services.map(name => `${name} died ${crasher.deathsOf(name)} times`).join(', ');
