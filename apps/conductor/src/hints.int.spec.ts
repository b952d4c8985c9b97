import type { ServiceName } from '@stave/contracts';
import { eventually } from '@stave/platform/testing';
import { aClusterTask, aHolding, ConductorBench } from './testing/conductor-bench.js';

jest.setTimeout(120_000);

describe('A conductor that gets hints', () => {
  let bench: ConductorBench;

  beforeEach(() => {
    bench = new ConductorBench();
    bench.services.holdings = [aHolding()];
  });
  afterEach(() => bench.close());

  it('claims tasks from each service after a hint and after it gained slots', async () => {
    bench.services.holdings = [];
    bench.services.start();
    const conductor = await bench.conductor({ times: { claimPollMs: 60_000 } });
    await conductor.start();
    await eventually(() => bench.tableOf(conductor).epoch === 1, 'first table');
    expect(bench.services.claims).toEqual([]);
    bench.services.assign([aHolding([7])]);
    await eventually(() => bench.services.claims.length === 3, 'a claim at each service');
    expect(bench.services.claims[0]).toMatchObject({ epoch: 2, holdings: [{ key: ':scripted', slots: [7] }] });
    bench.services.open.push(aClusterTask('c1'));
    bench.services.hint(aHolding([8]));
    bench.services.hint(aHolding([7]));
    await eventually(() => conductor.counters.done === 1, 'the hinted task');
  });

  it('claims after a hint from the service that the hint names, and from all services where it names none', async () => {
    bench.services.start();
    const conductor = await bench.conductor({ times: { claimPollMs: 60_000 } });
    await conductor.start();
    const asked = (service: ServiceName): number => bench.services.claims.filter(c => c.service === service).length;
    await eventually(() => bench.services.claims.length === 3, 'a claim at each service');
    bench.services.hint(aHolding(), 'nodegroup-service');
    await eventually(() => asked('nodegroup-service') === 2, 'a claim at the service of the hint');
    bench.services.hint(aHolding());
    await eventually(() => bench.services.claims.length === 7, 'another claim at each service');
    expect([asked('cluster-service'), asked('nodegroup-service'), asked('container-scheduler')]).toEqual([2, 3, 2]);
  });
});
