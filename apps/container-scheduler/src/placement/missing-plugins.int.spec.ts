import { eventually } from '@stave/platform/testing';
import { SchedulerHarness } from '../scheduler.fixture.js';

const TEN_MINUTES_MS = 600_000;

describe('nodes that lacked a plug-in', () => {
  let harness: SchedulerHarness;
  beforeEach(async () => {
    const networkDrivers = { bridge: 'node', overlay: 'cluster' };
    harness = await SchedulerHarness.open({ name: 'fake', capabilities: ['containers', 'networks'], networkDrivers });
    await harness.node('n1');
    await harness.createProfile({ network: { name: 'near', driver: 'bridge' } });
  });
  afterEach(() => {
    jest.restoreAllMocks();
    return harness.close();
  });

  const refused = async (id: string): Promise<void> => {
    const task = await eventually(
      async () => (await harness.claim()).find(each => each.kind === 'container.create' && each.resource.id === id),
      'the creation of the container',
    );
    const failed = { type: 'failed', failure: 'permanent', code: 'plugin-missing', plugin: 'bridge', message: 'no' };
    await harness.report(task, failed);
    await harness.completeTask('container.delete');
    await harness.containerIs(id, 'UNSCHEDULABLE');
  };
  const createdAfterwards = async (): Promise<string> => (await harness.createContainer()).resource.id;
  const placed = (id: string) => harness.events(`container-${id}`, 'ContainerPlaced');

  it('take no other container that needs it, also not after a restart', async () => {
    await refused((await harness.createContainer()).resource.id);
    for (const restarted of [false, true]) {
      if (restarted) {
        await harness.first.stop();
        await harness.replica();
      }
      const id = await createdAfterwards();
      const waiting = await harness.containerIs(id, 'UNSCHEDULABLE');
      expect(waiting['placement']).toMatchObject({ refusals: [{ code: 'NETWORK_DRIVER_MISSING', count: 1 }] });
      expect(await placed(id)).toEqual([]);
    }
    await harness.createProfile({ name: 'plain' });
    const other = (await harness.createContainer({ profile: 'plain' })).resource.id;
    await eventually(async () => (await placed(other)).length === 1, 'a container that does not need it is placed');
  });

  it('are tried again after ten minutes', async () => {
    const first = (await harness.createContainer()).resource.id;
    await refused(first);
    const { now } = Date;
    jest.spyOn(Date, 'now').mockImplementation(() => now() + TEN_MINUTES_MS);
    await createdAfterwards();
    await eventually(async () => (await placed(first)).length === 2, 'the container is placed there again');
  });
});
