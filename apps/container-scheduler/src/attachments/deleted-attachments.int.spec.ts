import type { CommandResult } from '@stave/contracts';
import { doneOf } from '@stave/domain/testing';
import { eventually } from '@stave/platform/testing';
import { taskDone } from '@stave/service-kit/testing';
import { SchedulerHarness } from '../scheduler.fixture.js';

const manifest = {
  capabilities: ['containers', 'networks', 'volumes'],
  networkDrivers: { overlay: 'cluster' },
  volumeDrivers: { shared: 'cluster' },
};

describe('networks and volumes of a cluster that are deleted', () => {
  let harness: SchedulerHarness;
  beforeEach(async () => {
    harness = await SchedulerHarness.open(manifest);
    const { clusterId } = harness;
    await harness.append(`cluster-${clusterId}`, ...taskDone(clusterId, 'cluster.create', 1));
  });
  afterEach(() => harness.close());

  it.each([
    ['network', 'overlay'],
    ['volume', 'shared'],
  ] as const)(
    'the unit of a %s belongs to its deletion until that is done, and is an orphan afterwards',
    async (kind, driver) => {
      const verdictOn = async (resourceId: string): Promise<string | undefined> => {
        const units = [{ resourceId, kind, generation: 1, clusterId: harness.clusterId }];
        return (await harness.first.ask<{ verdicts: string[] }>('orphan', 'classify', { units })).verdicts[0];
      };
      const body = { name: 'own', driver, clusterId: harness.clusterId };
      const { resource } = await harness.first.ask<CommandResult>(kind, 'create', body);
      await harness.completeTask(`${kind}.create`);
      expect(await verdictOn(resource.id)).toBe('live');
      await harness.first.ask(kind, 'delete', { id: resource.id });
      const deletion = await eventually(
        async () => (await harness.claim()).find(task => task.kind === `${kind}.delete`),
        'the deletion is claimed',
      );
      expect(deletion.spec).toMatchObject({ id: resource.id, generation: 2 });
      expect(await verdictOn(resource.id)).toBe('live');
      await harness.report(deletion, doneOf(deletion.kind));
      await eventually(async () => (await verdictOn(resource.id)) === 'gone', 'the unit is an orphan');
    },
  );
});
