import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { eventually } from '@stave/platform/testing';
import { aHolding, aTask, ConductorBench } from './testing/conductor-bench.js';

const fake = { name: 'fake', version: '1.0.0' };
const cluster = {
  id: 'c1',
  name: 'c1',
  projectId: 'p1',
  generation: 1,
  network: {},
  api: {},
  labels: {},
  options: {},
};
const node = {
  id: 'n1',
  name: 'n1',
  ordinal: 0,
  generation: 1,
  cluster,
  nodeGroup: { id: 'g1', name: 'workers' },
  role: 'worker',
  flavor: { cpus: 1, memoryMb: 512 },
  labels: {},
  taints: [],
  options: {},
};

jest.setTimeout(60_000);

describe('a conductor with the fake driver, loaded from its directory', () => {
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

  it('builds a cluster and a node, and sweeps the node when its stream says deleted', async () => {
    const directories = [resolve(__dirname, '../../../libs/drivers')];
    const conductor = await bench.conductor({ drivers: { directories, enabled: ['fake'] }, dataDir });
    await conductor.start();
    bench.services.open.push(aTask('c1', 'cluster.create', { driver: fake, spec: cluster }));
    await eventually(() => conductor.counters.done === 1, 'the cluster');
    bench.services.open.push(aTask('n1', 'node.create', { driver: fake, spec: node }));
    await eventually(() => conductor.counters.done === 2, 'the node');
    const [report] = bench.services.endsOf('task-of-n1');
    expect(report?.outcome).toMatchObject({ type: 'done', result: { capacity: { memoryMb: 512 } } });
    bench.services.verdicts.set('n1', 'gone');
    await eventually(() => bench.services.orphansRemoved.length === 1, 'swept');
    expect(bench.services.orphansRemoved[0]).toMatchObject({ resourceId: 'n1', driver: 'fake', verdict: 'gone' });
  });
});
