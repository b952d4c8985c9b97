import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PUBLISHED_STREAM } from '@stave/platform';
import { describeOn, eventually, itOn, natsMissing, natsNotRestartable, repositoryRoot } from '@stave/testing';
import { connect, type NatsConnection } from 'nats';
import { schemaCheck } from '../event-schemas/schema-check.js';
import { startDistributed, type DistributedStack } from './stack.js';

const flavor = { cpus: 1, memoryMb: 1024, diskGb: 10 };
const request = {
  name: 'published',
  driver: 'fake',
  nodeGroups: [{ name: 'workers', role: 'worker', flavor, count: 12, options: { latencyMs: 300 } }],
};

describeOn(natsMissing(), 'published events of the product', () => {
  let dataDir: string;
  let stack: DistributedStack;
  let outsider: NatsConnection;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'stave-published-'));
    stack = await startDistributed({ dataDir, conductors: [{ id: 'one', group: '' }] });
    outsider = await connect({ servers: stack.nats.url, maxReconnectAttempts: -1, reconnectTimeWait: 100 });
  }, 120_000);

  afterAll(async () => {
    await outsider?.close();
    await stack?.close();
    await rm(dataDir, { recursive: true, force: true });
  }, 120_000);

  async function published(): Promise<unknown[]> {
    const manager = await outsider.jetstreamManager({ checkAPI: false });
    const { state } = await manager.streams.info(PUBLISHED_STREAM);
    const found: unknown[] = [];
    for (let seq = 1; seq <= state.last_seq; seq++)
      found.push((await manager.streams.getMessage(PUBLISHED_STREAM, { seq })).json());
    return found;
  }

  /** Returns the events that the gateway streams and the published ones, once their numbers are equal. */
  const both = (what: string) =>
    eventually(
      async () => {
        const streamed = await stack.rest.list('/v1/events?since=start&limit=500');
        const delivered = await published().catch(() => []);
        return delivered.length === streamed.length && { streamed, delivered };
      },
      { timeoutMs: 60_000, everyMs: 250, what },
    );

  it('published events equal those that the gateway streams, even when the publisher is killed while it publishes', async () => {
    const { body } = await stack.rest.call('POST', '/v1/clusters', request);
    const nodes = `/v1/nodes?clusterId=${String(body['id'])}&status=ACTIVE&limit=100`;
    await eventually(async () => (await published()).length > 20, {
      timeoutMs: 30_000,
      what: 'more than 20 published events',
    });
    await stack.process('cluster-service').kill();
    await stack.process('cluster-service').restart();
    await eventually(async () => (await stack.rest.list(nodes)).length === 12, {
      timeoutMs: 60_000,
      what: '12 nodes are listed',
    });
    const { streamed, delivered } = await both('all are published');
    expect(delivered).toEqual(streamed);
    const problemOf = schemaCheck();
    expect(delivered.map(problemOf).filter(problem => problem !== undefined)).toEqual([]);
  }, 150_000);

  it('events:follow prints the published events, of all resources or of one', async () => {
    const main = join(repositoryRoot(), 'test/dist/distributed/follow-events.main.js');
    const follower = spawn(process.execPath, [main, stack.nats.url, 'stave.evt.*.node.*.NodeBecameActive']);
    let shown = '';
    follower.stdout.on('data', (text: Buffer) => (shown += text.toString()));
    const lines = () => shown.split('\n').filter(line => line.includes('stave.node.becameActive.v1')).length;
    await eventually(() => lines() === 12, { timeoutMs: 60_000, what: 'every node that became active is shown' });
    const ended = once(follower, 'exit');
    follower.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
  }, 120_000);

  itOn(
    natsNotRestartable(),
    'are published again after NATS lost all that it stored',
    async () => {
      const before = await published();
      await stack.nats.restart({ wipe: true });
      const { streamed, delivered } = await both('all are published again');
      expect(delivered).toEqual(streamed);
      expect(delivered.slice(0, before.length)).toEqual(before);
    },
    120_000,
  );
});
