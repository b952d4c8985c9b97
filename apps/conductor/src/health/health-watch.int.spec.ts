import { groupContainerUsageSubject, groupUsageSubject, type ContainerUsageSamples } from '@stave/contracts';
import { groupToken } from '@stave/domain';
import type { Unit } from '@stave/driver-sdk';
import { eventually } from '@stave/platform/testing';
import { aHolding, ConductorBench } from '../testing/conductor-bench.js';

jest.setTimeout(120_000);

const unit = (resourceId: string, more: Partial<Unit> = {}): Unit => {
  const infrastructureId = `vm-${resourceId}`;
  return { infrastructureId, kind: 'node', resourceId, clusterId: 'c', generation: 1, state: 'running', ...more };
};
const expected = (resourceId: string, nodeId?: string) => {
  const seen = { state: 'running' } as const;
  return { resourceId, generation: 3, built: 1, seen, ...(nodeId === undefined ? {} : { nodeId }) };
};

describe('The health watch', () => {
  let bench: ConductorBench;

  beforeEach(() => {
    bench = new ConductorBench();
    bench.services.holdings = [aHolding()];
    bench.services.start();
  });
  afterEach(() => bench.close());

  it('reports lost nodes and containers from one list of units', async () => {
    const { services, driver } = bench;
    driver.units = [unit('n1'), unit('n2', { state: 'stopped' }), unit('k1', { kind: 'container' })];
    services.expected.set(
      'nodegroup-service',
      ['n1', 'n2', 'n3'].map(id => expected(id)),
    );
    services.expected.set('container-scheduler', [expected('k1', 'n1'), expected('k2', 'n1'), expected('k3', 'n2')]);
    await (await bench.conductor()).start();
    await eventually(() => services.observed.length >= 3, 'the losses');
    const reported = new Set(services.observed.map(({ resourceId, state }) => `${resourceId} ${state}`));
    expect([...reported].sort()).toEqual(['k2 missing', 'n2 stopped', 'n3 missing']);
    expect(services.observed[0]).toMatchObject({ generation: 3 });
  });

  it('reports containers that are missing together as suspected, and a single one as missing', async () => {
    const { services, driver } = bench;
    const ids = Array.from({ length: 6 }, (_, i) => `k${i}`);
    services.expected.set('nodegroup-service', [expected('n1')]);
    services.expected.set(
      'container-scheduler',
      ids.map(id => expected(id, 'n1')),
    );
    driver.units = [unit('n1'), ...ids.slice(1).map(id => unit(id, { kind: 'container' }))];
    await (await bench.conductor()).start();
    await eventually(() => services.observed.length > 0, 'the single loss');
    expect(services.observed[0]).toEqual({ resourceId: 'k0', generation: 3, state: 'missing' });
    services.expected.set(
      'container-scheduler',
      ids.slice(1).map(id => expected(id, 'n1')),
    );
    services.observed.splice(0);
    driver.units = [unit('n1')];
    await eventually(() => services.observed.length >= 5, 'the loss of all others');
    for (const observed of services.observed.slice(0, 5))
      expect(observed).toMatchObject({ state: 'missing', suspected: 'mass-loss' });
    await eventually(() => services.heartbeats.at(-1)?.suspectedContainerLosses === 5, 'a heartbeat with the number');
    expect(services.heartbeats.at(-1)?.suspectedLosses).toBeUndefined();
  });

  it('samples the usage of its own nodes only', async () => {
    const { services, driver, messaging } = bench;
    services.expected.set('nodegroup-service', [expected('n1')]);
    driver.units = [unit('n1')];
    driver.usage = ['n1', 'other'].map(nodeId => ({ nodeId, cpuCores: 1, memoryMb: 2 }));
    const heard: unknown[] = [];
    messaging.subscribe(groupUsageSubject(groupToken('')), payload => void heard.push(payload));
    await (await bench.conductor()).start();
    await eventually(() => heard.length > 1, 'samples');
    expect(heard[0]).toMatchObject({ nodeIds: ['n1'], cpuCores: [1], memoryMb: [2] });
  });

  it('samples the usage of its own containers as columns, and requests nothing without such containers', async () => {
    const { services, driver, messaging } = bench;
    driver.units = [unit('n1'), unit('k1', { kind: 'container' })];
    driver.usage = [{ nodeId: 'n1', cpuCores: 1, memoryMb: 2 }];
    let asked = 0;
    driver.onUsage = () => void (asked += 1);
    driver.containerUsage = ['k1', 'k2', 'other'].map(containerId => {
      return { containerId, nodeId: 'n1', cpuCores: 1, memoryMb: 2 };
    });
    services.expected.set('nodegroup-service', [expected('n1')]);
    const heard: unknown[] = [];
    messaging.subscribe(groupContainerUsageSubject(groupToken('')), payload => void heard.push(payload));
    const nodes: unknown[] = [];
    messaging.subscribe(groupUsageSubject(groupToken('')), payload => void nodes.push(payload));
    await (await bench.conductor()).start();
    await eventually(() => nodes.length > 3, 'several checks');
    expect(asked).toBe(0);
    services.expected.set('container-scheduler', [expected('k1', 'n1'), expected('k2', 'n1')]);
    await eventually(() => heard.length > 1, 'samples');
    const columns = { containerIds: ['k1', 'k2'], nodeIds: ['n1', 'n1'], cpuCores: [1, 1], memoryMb: [2, 2] };
    expect(heard.at(-1)).toEqual({ ...columns, periodMs: 20, at: expect.any(String) });
  });

  it('samples containers as often as the services want, and never less often than usual', async () => {
    const { services, driver, messaging } = bench;
    driver.units = [unit('n1'), unit('k1', { kind: 'container' })];
    driver.containerUsage = [{ containerId: 'k1', nodeId: 'n1', cpuCores: 1, memoryMb: 2 }];
    services.expected.set('container-scheduler', [expected('k1', 'n1')]);
    services.samplingMs = 7;
    const periods: number[] = [];
    messaging.subscribe(
      groupContainerUsageSubject(groupToken('')),
      payload => void periods.push((payload as ContainerUsageSamples).periodMs),
    );
    await (await bench.conductor()).start();
    await eventually(() => periods.at(-1) === 7, 'samples more often');
    services.samplingMs = 1_000;
    await eventually(() => periods.at(-1) === 20, 'samples as usual');
  });

  it('does not report a deviation that was observed only once', async () => {
    const { services, driver } = bench;
    services.expected.set('nodegroup-service', [expected('n1'), expected('n2')]);
    driver.units = [unit('n1')];
    let checks = 0;
    driver.onList = () => {
      driver.units = ++checks % 2 === 1 ? [unit('n1')] : [unit('n1'), unit('n2')];
    };
    await (await bench.conductor({ times: { sweepPeriodMs: 60_000 } })).start(); // a sweep lists, too
    await eventually(() => checks > 12, 'many checks');
    expect(services.observed).toEqual([]);
  });

  it('checks the units of one service when the other service does not answer', async () => {
    const { services } = bench;
    services.expected.set('nodegroup-service', [expected('n1')]);
    services.lose.set('health.expected', 3);
    await (await bench.conductor()).start();
    await eventually(() => services.observed.length > 0, 'the loss');
  });
});
