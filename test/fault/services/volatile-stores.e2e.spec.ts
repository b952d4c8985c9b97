import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describeOn, eventually, itOn, natsMissing, natsNotRestartable, type OperationView } from '@stave/testing';
import { startDistributed, type DistributedStack } from '../../distributed/stack.js';
import type { ClusterView, NodeView } from '../../e2e/views.js';
import { checkHistory } from '../check-history.js';
import { textIn } from '../history.js';
import { journalOf, readHistory } from '../read-history.js';
import { RetryingClient } from './retrying-client.js';

const CLUSTERS = ['red', 'green', 'blue'];
const SERVICES = ['cluster-service', 'nodegroup-service', 'container-scheduler'];
/** Long enough to restart NATS and receive heartbeats of all conductors again on a busy machine. */
const SESSION_MS = 6_000;
const flavor = { cpus: 1, memoryMb: 512 };
const options = { latencyMs: 300 };

describeOn(natsMissing(), 'the product, when everything but the event log is lost', () => {
  let dataDir: string;
  let stack: DistributedStack;
  let client: RetryingClient;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'stave-fault-nats-'));
    // a low concurrency makes the work take longer than a restart
    const env = { CONDUCTOR_CONCURRENCY: '4' };
    stack = await startDistributed({
      dataDir,
      conductors: ['one', 'two', 'three'].map(id => ({ id, group: '', env })),
      env: { HEARTBEAT_MS: '500', SESSION_TIMEOUT_MS: String(SESSION_MS), REQUEST_TIMEOUT_MS: '3000' },
    });
    client = new RetryingClient(stack.urls, stack.adminKey);
  }, 120_000);

  afterAll(async () => {
    await stack?.close();
    await rm(dataDir, { recursive: true, force: true });
  }, 120_000);

  const outages = [
    { when: 'at once', perCluster: 12, awayMs: 0 },
    { when: 'after all sessions have expired', perCluster: 20, awayMs: 2 * SESSION_MS },
  ];
  for (const { when, perCluster, awayMs } of outages)
    itOn(
      natsNotRestartable(),
      `all work finishes and nothing is built twice when NATS is stopped, wiped and started again ${when}`,
      async () => {
        const { nats } = stack;
        const before = (await buildsOf(stack)).length;
        for (const name of CLUSTERS) await grow(name, perCluster);
        const total = CLUSTERS.length * perCluster;
        const started = before + (total - before) / 4;
        await eventually(async () => (await buildsOf(stack)).length >= started, {
          timeoutMs: 60_000,
          what: 'a quarter of the nodes is built',
        });
        await nats.kill();
        const away = performance.now();
        await eventually(() => performance.now() - away >= awayMs, { timeoutMs: awayMs + 1_000 });
        const atRestart = (await buildsOf(stack)).length;
        expect(atRestart).toBeLessThan(total);
        await nats.restart({ wipe: true });
        await eventually(() => isDone(total), { timeoutMs: 120_000, everyMs: 200, what: `${total} nodes ACTIVE` });
        const seconds = ((performance.now() - away) / 1000).toFixed(1);

        const builds = await buildsOf(stack);
        expect([builds.length, new Set(builds).size]).toEqual([total, total]);
        const history = await readHistory(stack);
        expect(checkHistory(history)).toEqual([]);
        const ends = history.events.filter(({ type }) => type === 'stave.conductorRing.conductorExpired.v1');
        // each conductor registered again; nobody else ended a session
        if (awayMs === 0) expect(ends.filter(event => textIn(event, 'replacedBy') === '')).toEqual([]);
        console.info(
          `${when}: ${before} built before, ${atRestart} at the restart, ${total} ${seconds} s after the stop; ${ends.length} sessions ended`,
        );
      },
      240_000,
    );

  it('killed services rebuild their in-process read models at the next start, and change no infrastructure', async () => {
    // samples of utilisation arrive at any time
    const steady = ({ utilisation: _sampled, ...document }: { readonly utilisation?: unknown }): object => document;
    const list = async (type: string): Promise<readonly object[]> =>
      (await client.list<object>(`/v1/${type}`)).map(steady);
    const lists = (): Promise<unknown> => Promise.all(['clusters', 'node-groups', 'nodes', 'operations'].map(list));
    const effects = async (): Promise<number> =>
      (await journalOf(stack.journalPath)).filter(({ effect }) => effect !== undefined).length;
    const [before, effectsBefore] = [await lists(), await effects()];
    for (const name of SERVICES) await stack.process(name).kill();
    await Promise.all(SERVICES.map(name => stack.process(name).start()));
    const same = async (): Promise<boolean> => isDeepStrictEqual(await lists(), before);
    await eventually(same, { timeoutMs: 60_000, everyMs: 100, what: 'the same lists' }).catch(
      async (error: unknown) => {
        expect(await lists()).toEqual(before);
        throw error;
      },
    );
    expect(await effects()).toBe(effectsBefore);
  }, 180_000);

  async function grow(name: string, count: number): Promise<void> {
    const [known] = (await client.list<NodeView>('/v1/clusters')).filter(cluster => cluster.name === name);
    const nodeGroups = [{ name: 'w', role: 'worker', count, flavor }];
    if (!known)
      await client.accepted('POST', '/v1/clusters', `make-${name}`, { name, driver: 'fake', options, nodeGroups });
    else
      await client.accepted('POST', `/v1/clusters/${known.id}/node-groups/w/actions/resize`, `grow-${name}`, { count });
  }

  /** Returns whether the read models of all services show the result. */
  async function isDone(total: number): Promise<boolean> {
    const active = (await client.list<NodeView>('/v1/nodes')).filter(({ status }) => status === 'ACTIVE');
    const clusters = await client.list<ClusterView>('/v1/clusters');
    const ready = clusters.reduce((sum, { nodeCounts }) => sum + nodeCounts.ready, 0);
    const operations = await client.list<OperationView>('/v1/operations');
    const ended = operations.every(({ status }) => status === 'SUCCEEDED');
    return active.length === total && ready === total && ended && clusters.every(({ status }) => status === 'ACTIVE');
  }
});

/** Returns the id of every node that was built, once for each build. */
async function buildsOf({ journalPath }: DistributedStack): Promise<readonly string[]> {
  const built = (await journalOf(journalPath)).filter(({ kind, effect }) => kind === 'node' && effect === 'created');
  return built.map(({ resourceId = '' }) => resourceId);
}
