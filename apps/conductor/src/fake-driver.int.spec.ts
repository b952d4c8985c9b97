import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { eventually } from '@stave/platform/testing';
import { aClusterTask, aHolding, aTask, ConductorBench, nodeSpec } from './testing/conductor-bench.js';

const fake = { name: 'fake', version: '1.0.0' };
jest.setTimeout(120_000);

describe('A conductor with the fake driver from its directory', () => {
  let bench: ConductorBench;
  let dataDir: string;

  beforeEach(async () => {
    bench = new ConductorBench();
    bench.services.holdings = [aHolding([1], 'fake')];
    bench.services.start();
    dataDir = await mkdtemp(join(tmpdir(), 'stave-conductor-'));
  });
  afterEach(async () => {
    await bench.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('a conductor with the fake driver builds a cluster and a node, and sweeps the unit of a deleted node', async () => {
    const directories = [resolve(__dirname, '../../../libs/drivers')];
    // these services never hand out a task again whose reply was late
    const conductor = await bench.conductor({
      drivers: { directories, enabled: ['fake'] },
      dataDir,
      times: { requestTimeoutMs: 10_000 },
    });
    await conductor.start();
    bench.services.open.push(aClusterTask('c1', { driver: fake }));
    await eventually(() => conductor.counters.done === 1, 'the cluster');
    bench.services.open.push(aTask('n1', { driver: fake, spec: nodeSpec('n1', 'c1') }));
    await eventually(() => conductor.counters.done === 2, 'the node');
    const [report] = bench.services.endsOf('task-of-n1');
    expect(report?.outcome).toMatchObject({ type: 'done', result: { capacity: { memoryMb: 512 } } });
    bench.services.verdicts.set('n1', 'gone');
    await eventually(() => bench.services.orphansRemoved.length === 1, 'swept');
    expect(bench.services.orphansRemoved[0]).toMatchObject({ resourceId: 'n1', driver: 'fake', verdict: 'gone' });
  });
});
