import { RefusedError } from '@stave/contracts';
import { eventually } from '@stave/platform/testing';
import { ClusterInStates, ways } from './clusters-in-states.fixture.js';
import { ClustersHarness } from './clusters.fixture.js';

describe('a retry of a cluster whose rebuild failed', () => {
  let harness: ClustersHarness;
  beforeEach(async () => void (harness = await ClustersHarness.open()));
  afterEach(() => harness.close());

  it('is refused while its nodes have the only data of volumes that are to be retained, unless it may be discarded', async () => {
    const replica = await harness.replica();
    const cluster = await ClusterInStates.create(harness, replica, 'c');
    await ways['rebuilding']?.(cluster);
    await cluster.broken();
    const scope = { clusterId: cluster.id, projectId: 'p1', scope: 'node', reclaimPolicy: 'retain' };
    const made = { type: 'VolumeCreated', data: { id: 'v', name: 'books', ...scope } };
    await harness.append('volume-v', made, { type: 'VolumeBound', data: { nodeId: 'n' } });
    const refusal = (answer: Promise<unknown>) =>
      answer.then(
        () => undefined,
        (error: unknown) => (error instanceof RefusedError ? error.error : undefined),
      );
    const planned = () =>
      refusal(harness.ask(replica, 'action', { id: cluster.id, action: 'retry' }, { dryRun: true }));
    await eventually(async () => (await planned())?.code === 'holds-volumes');
    expect(await refusal(cluster.act('retry'))).toMatchObject({
      code: 'holds-volumes',
      extra: { volumes: ['books'] },
    });
    const { operationId } = await cluster.act('retry', { discardVolumes: true });
    expect((await cluster.state()).rollout).toMatchObject({ operationId, discardVolumes: true });
  });
});
