import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeOn, eventually, natsMissing } from '@stave/testing';
import { startDistributed, type DistributedStack } from '../../distributed/stack.js';
import { checkHistory } from '../check-history.js';
import { journalOf, readHistory } from '../read-history.js';

const NODES = 200;
const UNDER_WAY = 60;
/** The promised seconds on an otherwise idle machine. */
const TARGET_S = 15;
const DEADLINE_MS = 45_000;

describeOn(natsMissing(), 'a conductor that is killed while 200 nodes are built', () => {
  let dataDir: string;
  let stack: DistributedStack;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'stave-fault-kill-'));
    const conductors = ['one', 'two', 'three'].map(id => ({ id, group: '' }));
    stack = await startDistributed({ dataDir, conductors });
  }, 120_000);

  afterAll(async () => {
    await stack?.close();
    await rm(dataDir, { recursive: true, force: true });
  }, 120_000);

  it('the other conductors make every node active in time and build none twice when one is killed', async () => {
    const flavor = { cpus: 1, memoryMb: 512 };
    const nodeGroups = [{ name: 'workers', role: 'worker', count: NODES, flavor }];
    const request = { name: 'fleet', driver: 'fake', options: { latencyMs: 1_000 }, nodeGroups };
    expect((await stack.rest.call('POST', '/v1/clusters', request)).status).toBe(202);
    await eventually(async () => (await buildsOf(stack)).length >= UNDER_WAY, {
      timeoutMs: 30_000,
      what: 'nodes being built',
    });
    await stack.process('two').kill();
    const killedAt = performance.now();
    expect(await active(stack)).toBeLessThan(NODES);
    await eventually(async () => (await active(stack)) === NODES, {
      timeoutMs: DEADLINE_MS,
      everyMs: 100,
      what: 'all nodes are ACTIVE',
    });
    const seconds = (performance.now() - killedAt) / 1000;

    const history = await readHistory(stack);
    expect(checkHistory(history)).toEqual([]);
    const builds = await buildsOf(stack);
    expect([builds.length, new Set(builds).size]).toEqual([NODES, NODES]);
    const takenOver = history.events.filter(
      ({ type, data }) => type === 'stave.node.taskClaimed.v1' && data['attempt'] === 2,
    );
    expect(takenOver.length).toBeGreaterThan(0);
    for (const { data } of takenOver) expect(data['conductor']).not.toBe('two');
    const verdict = seconds <= TARGET_S ? 'within' : 'LATER THAN';
    console.info(
      `${NODES} nodes active ${seconds.toFixed(1)} s after SIGKILL, ${verdict} ${TARGET_S} s; ${takenOver.length} taken over`,
    );
  }, 120_000);
});

async function buildsOf({ journalPath }: DistributedStack): Promise<string[]> {
  const journal = await journalOf(journalPath);
  return journal.flatMap(({ effect, kind, resourceId = '' }) =>
    kind === 'node' && effect === 'created' ? [resourceId] : [],
  );
}

async function active({ rest }: DistributedStack): Promise<number> {
  return (await rest.list('/v1/nodes?limit=500&status=ACTIVE')).length;
}
