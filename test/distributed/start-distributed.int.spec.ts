import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readJournal } from '@stave/driver-fake';
import { describeOn, eventually, natsMissing } from '@stave/testing';
import { startDistributed, type DistributedStack } from './stack.js';

const NODES = 20;
const flavor = { cpus: 1, memoryMb: 1024, diskGb: 10 };
const request = {
  name: 'interrupted',
  driver: 'fake',
  nodeGroups: [
    { name: 'managers', role: 'manager', flavor, count: 1 },
    { name: 'workers', role: 'worker', flavor, count: NODES, options: { latencyMs: 500 } },
  ],
};

describeOn(natsMissing(), 'the product in separate processes', () => {
  let dataDir: string;
  let stack: DistributedStack;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'stave-distributed-'));
    stack = await startDistributed({
      dataDir,
      conductors: ['one', 'two', 'three'].map(id => ({ id, group: '' })),
      env: { HEARTBEAT_MS: '500', SESSION_TIMEOUT_MS: '2000' },
    });
  }, 120_000);

  afterAll(async () => {
    await stack?.close();
    await rm(dataDir, { recursive: true, force: true });
  }, 120_000);

  it('the product writes the key of the administrator to a private file and to no log', async () => {
    expect((await stat(stack.adminKeyFile)).mode & 0o777).toBe(0o600);
    for (const name of stack.processes.keys())
      expect(await readFile(join(dataDir, 'logs', `${name}.log`), 'utf8')).not.toContain(stack.adminKey);
  });

  it('the product builds every node once, even when a conductor is killed while it builds', async () => {
    const { status, body } = await stack.rest.call('POST', '/v1/clusters', request);
    expect(status).toBe(202);
    const victim = await eventually(() => busyConductor(stack), { timeoutMs: 30_000, what: 'a node being built' });
    await stack.process(victim).kill();

    const clusterId = String(body['id']);
    const active = await eventually(
      async () => {
        const nodes = await stack.rest.list(`/v1/nodes?clusterId=${clusterId}&status=ACTIVE&limit=100`);
        return nodes.length === NODES + 1 && nodes;
      },
      { timeoutMs: 60_000, everyMs: 200, what: 'all nodes ACTIVE' },
    );
    expect(new Set(active.map(node => node['id'])).size).toBe(NODES + 1);

    const builds = new Map<string, number>();
    const callers = new Map<string, Set<string>>();
    for await (const { effect, kind, resourceId = '', caller } of readJournal(stack.journalPath)) {
      if (kind !== 'node') continue;
      callers.set(resourceId, (callers.get(resourceId) ?? new Set()).add(caller.conductor ?? ''));
      if (effect === 'created') builds.set(resourceId, (builds.get(resourceId) ?? 0) + 1);
    }
    expect([...builds.values()]).toEqual(active.map(() => 1));
    expect(new Set(builds.keys())).toEqual(new Set(active.map(node => node['id'])));
    const takenOver = [...callers.values()].filter(by => by.has(victim) && by.size > 1);
    expect(takenOver.length).toBeGreaterThan(0);
  }, 120_000);

  it('the product accepts a restarted conductor and keeps all resources when each service restarts', async () => {
    const gone = [...stack.processes.values()].filter(child => !child.running);
    expect(gone).toHaveLength(1);
    for (const child of gone) await child.restart();
    for (const name of ['cluster-service', 'nodegroup-service', 'container-scheduler', 'api-gateway'])
      await stack.process(name).restart();
    expect(await stack.rest.list('/v1/nodes?limit=100')).toHaveLength(NODES + 1);
  }, 120_000);

  it('the product stops every process with exit code 0', async () => {
    const children = [...stack.processes.values()];
    const pids = children.map(child => child.pid);
    await stack.close();
    const ends = await Promise.all(children.map(async child => ({ name: child.name, end: await child.gone() })));
    expect(ends).toEqual(children.map(({ name }) => ({ name, end: { code: 0, signal: null } })));
    for (const pid of pids) expect(() => process.kill(pid ?? NaN, 0)).toThrow();
  }, 120_000);
});

/** Returns a conductor that has started to build a worker and has not finished it. */
async function busyConductor({ journalPath }: DistributedStack): Promise<string | undefined> {
  const building = new Map<string, string>();
  for await (const { effect, kind, resourceId = '', caller, put } of readJournal(journalPath)) {
    if (kind !== 'node') continue;
    // a unit without latency is already running when it is created
    if (effect === 'created' && put?.[0]?.state !== 'running') building.set(resourceId, caller.conductor ?? '');
    else if (effect === 'finished') building.delete(resourceId);
  }
  return [...building.values()][0];
}
