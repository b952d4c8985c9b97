import { describeOn, eventually, natsMissing } from '@stave/testing';
import { checkHistory } from '../check-history.js';
import { readHistory } from '../read-history.js';
import { walksAllSteps } from './fault.config.js';
import { inParallel } from './in-parallel.js';
import type { FollowedRequest } from './step-walk.js';
import { END_MS, StepHarness } from './step-harness.js';
import { firstAndLastOfEach, firstOfEach, describeStep, type Step } from './steps.js';
import { clusterRequest, clusterDifferences, remainingResources } from './expected-clusters.js';

const AT_ONCE = 6;
const SERVICES = ['cluster-service', 'nodegroup-service', 'container-scheduler'];

interface Resource {
  readonly id: string;
  readonly name: string;
}

describeOn(
  natsMissing(),
  'a service killed right after a step of "create cluster with groups", of its rebuild, or of its deletion',
  () => {
    let harness: StepHarness;
    let creation: readonly Step[] = [];
    let rebuilding: readonly Step[] = [];
    let deletion: readonly Step[] = [];

    beforeAll(async () => void (harness = await StepHarness.open(['one', 'two'])), 240_000);
    afterAll(() => harness?.close(), 120_000);

    async function create(name: string, after?: Step, key = `create-${name}`): Promise<FollowedRequest> {
      const request = harness.walk.follow(key, after ? { after } : {});
      await harness.client.accepted('POST', '/v1/clusters', request.request, clusterRequest(name));
      return harness.ended(request);
    }

    async function rebuild({ id, name }: Resource, after?: Step): Promise<FollowedRequest> {
      const request = harness.walk.follow(`rebuild-${name}`, { clusterId: id, ...(after ? { after } : {}) });
      await harness.client.accepted('POST', `/v1/clusters/${id}/actions/rebuild`, request.request, {});
      return harness.ended(request);
    }

    async function remove({ id, name }: Resource, after?: Step): Promise<FollowedRequest> {
      const request = harness.walk.follow(`delete-${name}`, { clusterId: id, ...(after ? { after } : {}) });
      await harness.client.accepted('DELETE', `/v1/clusters/${id}`, request.request);
      return harness.ended(request);
    }

    /** Sends one request for each step and kills the step's service after it; a repeated step need not occur in every run. */
    async function crashAfterEach(
      steps: readonly Step[],
      act: (step: Step, at: number) => Promise<FollowedRequest>,
    ): Promise<void> {
      const requests: FollowedRequest[] = [];
      await inParallel(steps, AT_ONCE, async (step, at) => void (requests[at] = await act(step, at)));
      const missed = (): readonly Step[] => steps.filter((_, at) => !requests[at]?.crashed);
      // a new leader may need longer to start than the quiet time that `settled` waits for
      await eventually(() => missed().every(({ nth }) => nth > 1), { timeoutMs: END_MS }).catch((cause: unknown) => {
        throw new Error(`these steps were not reached: ${missed().map(describeStep).join('; ')}`, { cause });
      });
      await harness.settled();
      if (missed().length > 0) console.info(`not in this run: ${missed().map(describeStep).join('; ')}`);
    }

    it('the harness records the steps of a run without kills', async () => {
      const made = await create('quiet');
      await harness.settled();
      expect(await clusterDifferences(harness.client, ['quiet'])).toEqual([]);
      const [cluster] = await harness.client.list<Resource>('/v1/clusters');
      const rebuilt = await rebuild(cluster as Resource);
      await harness.settled();
      expect(await clusterDifferences(harness.client, ['quiet'])).toEqual([]);
      const removed = await remove(cluster as Resource);
      await harness.settled();
      expect(await remainingResources(harness.client, harness.stack.journalPath)).toEqual([]);
      creation = walksAllSteps() ? made.steps : firstAndLastOfEach(made.steps);
      rebuilding = walksAllSteps() ? rebuilt.steps : firstOfEach(rebuilt.steps);
      deletion = walksAllSteps() ? removed.steps : firstOfEach(removed.steps);
      expect(creation.length).toBeGreaterThan(12);
      expect(rebuilding.length).toBeGreaterThan(12);
      expect(deletion.length).toBeGreaterThan(12);
    }, 300_000);

    it('a service completes the creation of a cluster, whichever step it is killed at', async () => {
      await crashAfterEach(creation, (step, at) => create(`c${at}`, step));
      const names = creation.map((_, at) => `c${at}`);
      expect(await clusterDifferences(harness.client, names)).toEqual([]);
      expect(checkHistory(await readHistory(harness.stack))).toEqual([]);
    }, 900_000);

    it('a service rebuilds every node once, whichever step of the rebuild it is killed at', async () => {
      const missing = rebuilding.slice((await harness.client.list('/v1/clusters')).length);
      await inParallel(missing, AT_ONCE, async (_, at) => void (await create(`again${at}`)));
      const clusters = await harness.client.list<Resource>('/v1/clusters');
      const units = async (): Promise<ReadonlyMap<string, string>> => {
        const nodes = await harness.client.list<{ id: string; infrastructureId: string }>('/v1/nodes');
        return new Map(nodes.map(node => [node.id, node.infrastructureId]));
      };
      const before = await units();
      const some = clusters.slice(0, rebuilding.length);
      await crashAfterEach(rebuilding, (step, at) => rebuild(some[at] as Resource, step));
      expect(
        await clusterDifferences(
          harness.client,
          clusters.map(({ name }) => name),
        ),
      ).toEqual([]);
      const after = await units();
      expect([...after.keys()].sort()).toEqual([...before.keys()].sort());
      const nodes = await harness.client.list<{ id: string; clusterId: string }>('/v1/nodes');
      const rebuilt = nodes.filter(({ clusterId }) => some.some(({ id }) => id === clusterId));
      expect(rebuilt.filter(({ id }) => after.get(id) === before.get(id))).toEqual([]);
      expect(checkHistory(await readHistory(harness.stack))).toEqual([]);
    }, 900_000);

    it('a service completes the deletion of a cluster, whichever step it is killed at', async () => {
      const missing = deletion.slice((await harness.client.list('/v1/clusters')).length);
      await inParallel(missing, AT_ONCE, async (_, at) => void (await create(`more${at}`)));
      const clusters = await harness.client.list<Resource>('/v1/clusters');
      await crashAfterEach(deletion, (step, at) => remove(clusters[at] as Resource, step));
      await inParallel(clusters.slice(deletion.length), AT_ONCE, async cluster => void (await remove(cluster)));
      await harness.settled();
      expect(await remainingResources(harness.client, harness.stack.journalPath)).toEqual([]);
      expect(checkHistory(await readHistory(harness.stack))).toEqual([]);
      const deaths = SERVICES.map(name => `${name} ${harness.crasher.killsOf(name)}`).join(', ');
      const steps = `${creation.length} steps of creation, ${rebuilding.length} of a rebuild, ${deletion.length} of deletion`;
      console.info(`${steps}; killed: ${deaths}`);
    }, 900_000);

    it('a killed service frees the names of the deleted clusters', async () => {
      await create('c0', undefined, 'create-again');
      await harness.settled();
      expect(await clusterDifferences(harness.client, ['c0'])).toEqual([]);
    }, 300_000);
  },
);
