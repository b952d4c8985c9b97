import { containerUsageSubject, groupContainerUsageSubject, type ContainerUsageSamples } from '@stave/contracts';
import { groupToken } from '@stave/domain';
import { eventually } from '@stave/platform/testing';
import { SchedulerHarness } from '../scheduler.fixture.js';
import { ContainerUsages } from './container-usages.js';

const samples = (containerId: string, cpuCores: number, at = new Date()): ContainerUsageSamples => {
  const columns = { containerIds: [containerId], nodeIds: ['n1'], cpuCores: [cpuCores], memoryMb: [64] };
  return { at: at.toISOString(), periodMs: 10_000, ...columns };
};

describe('usage of containers', () => {
  let harness: SchedulerHarness;
  beforeEach(async () => {
    harness = await SchedulerHarness.open();
  });
  afterEach(() => harness.close());

  it('a container shows the window of its samples, and is not known without recent ones', async () => {
    await harness.node('n1');
    await harness.createProfile();
    const { id } = (await harness.createContainer()).resource;
    const stats = (): Promise<{ readonly samples: number }> =>
      harness.first.ask('container', 'stats', { id, window: 60 });
    expect(await stats()).toMatchObject({ window: 60, samples: 0, known: false, mean: null });
    const { messaging } = harness.first;
    messaging.publish(containerUsageSubject, { at: 'x', containerIds: [id], nodeIds: [], cpuCores: [1] });
    messaging.publish(groupContainerUsageSubject(groupToken('elsewhere')), samples(id, 100));
    messaging.publish(groupContainerUsageSubject(groupToken('')), samples(id, 1, new Date(Date.now() - 10_000)));
    messaging.publish(containerUsageSubject, samples(id, 3));
    await eventually(async () => (await stats()).samples === 2, 'both samples');
    const mean = { cpuCores: 2, memoryMb: 64 };
    expect(await stats()).toMatchObject({ known: true, mean, max: { cpuCores: 3, memoryMb: 64 } });
  });
});

it('samples of a container that does not exist, or is deleted, are not kept', () => {
  const existing = new Set(['c1']);
  const usages = new ContainerUsages(
    id => existing.has(id),
    () => 40_000,
  );
  usages.add(samples('c1', 1, new Date(10_000)));
  usages.add(samples('other', 1, new Date(10_000)));
  expect(usages.over('c1', 60_000)).toMatchObject({ samples: 1, known: true });
  expect(usages.over('other', 60_000)).toMatchObject({ samples: 0, known: false });
  usages.forget('c1');
  expect(usages.over('c1', 60_000)).toMatchObject({ samples: 0 });
});
