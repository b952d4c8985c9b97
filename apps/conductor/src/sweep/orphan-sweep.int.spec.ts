import type { Unit } from '@stave/driver-sdk';
import { eventually } from '@stave/platform/testing';
import { aHolding, ConductorBench } from '../testing/conductor-bench.js';

function aUnit(resourceId: string, kind: Unit['kind'] = 'node', generation = 1): Unit {
  return { infrastructureId: `vm-${resourceId}`, kind, resourceId, clusterId: 'c', generation, state: 'running' };
}

jest.setTimeout(120_000);

describe('The orphan sweep', () => {
  let bench: ConductorBench;

  beforeEach(() => {
    bench = new ConductorBench();
    bench.services.start();
  });
  afterEach(() => bench.close());

  it('removes units of deleted and of unknown resources, and keeps live units and those without a verdict', async () => {
    const { services, driver } = bench;
    driver.units = [aUnit('lives'), aUnit('gone', 'node', 3), aUnit('never', 'container'), aUnit('silent', 'cluster')];
    services.verdicts.set('gone', 'gone').set('never', 'never').set('silent', 'silent');
    const conductor = await bench.conductor();
    await conductor.start();
    await eventually(() => services.orphansRemoved.length === 2, 'two removals reported');
    expect(driver.units.map(({ resourceId }) => resourceId)).toEqual(['lives', 'silent']);
    expect(driver.removed.map(({ resourceId }) => resourceId).sort()).toEqual(['gone', 'never']);
    const common = { conductor: conductor.id, driver: 'scripted' };
    expect([...services.orphansRemoved].sort((a, b) => a.resourceId.localeCompare(b.resourceId))).toEqual([
      { ...common, resourceId: 'gone', kind: 'node', generation: 3, infrastructureId: 'vm-gone', verdict: 'gone' },
      {
        ...common,
        resourceId: 'never',
        kind: 'container',
        generation: 1,
        infrastructureId: 'vm-never',
        verdict: 'never',
      },
    ]);
    expect(conductor.counters.sweptOrphans).toBe(2);
  });

  it('asks about no node that is expected as it was built, and about all others', async () => {
    const { services, driver } = bench;
    const expected = (resourceId: string) => ({
      resourceId,
      generation: 2,
      built: 2,
      seen: { state: 'running' } as const,
    });
    services.holdings = [aHolding()];
    services.expected.set('nodegroup-service', [expected('lives'), expected('replaced'), expected('c')]);
    driver.units = [aUnit('lives', 'node', 2), aUnit('replaced', 'node', 1), aUnit('c', 'container', 2)];
    driver.units.push(aUnit('gone', 'node', 2));
    services.verdicts.set('gone', 'gone').set('replaced', 'gone');
    const conductor = await bench.conductor();
    await conductor.start();
    await eventually(() => services.orphansRemoved.length === 2, 'two removals reported');
    await eventually(() => services.observed.some(({ resourceId }) => resourceId === 'replaced'), 'a check');
    services.classified.splice(0);
    await eventually(() => services.classified.length >= 2, 'two further sweeps');
    expect(new Set(services.classified)).toEqual(new Set(['c']));
    expect(driver.units.map(({ resourceId }) => resourceId)).toEqual(['lives', 'c']);
  });

  it('requests verdicts in chunks, and repeats the report of a removal until it is answered', async () => {
    const { services, driver } = bench;
    driver.units = Array.from({ length: 1_201 }, (_, i) => aUnit(`n${i}`));
    services.verdicts.set('n1200', 'gone');
    services.lose.set('orphan.removed', 2);
    const conductor = await bench.conductor();
    await conductor.start();
    await eventually(() => services.orphansRemoved.length === 3, 'the report, repeated');
    expect(driver.removed.map(({ resourceId }) => resourceId)).toEqual(['n1200']);
  });

  it('removes no unit after the session may have ended', async () => {
    const { services, driver, clock } = bench;
    driver.units = [aUnit('a'), aUnit('b')];
    services.verdicts.set('a', 'gone').set('b', 'gone');
    const conductor = await bench.conductor();
    await conductor.start();
    await eventually(() => bench.openDriversOf(conductor).length === 1, 'open');
    const removed: (string | undefined)[] = [];
    jest.spyOn(driver.removed, 'push').mockImplementation(({ resourceId }) => {
      clock.jump(60_000);
      return removed.push(resourceId, services.registrations.at(-1)?.session);
    });
    await eventually(() => removed.length >= 2, 'a removal');
    expect(removed[0]).toBe('a');
    await eventually(() => removed.length >= 4, 'the other one');
    expect(removed[2]).toBe('b');
    expect(removed[3]).not.toBe(removed[1]);
  });
});
