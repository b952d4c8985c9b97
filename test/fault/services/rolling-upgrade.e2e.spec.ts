import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  describeOn,
  eventually,
  expectProblem,
  ferretMissing,
  natsMissing,
  repositoryRoot,
  StaveClient,
} from '@stave/testing';
import { startDistributed, type DistributedStack } from '../../distributed/stack.js';
import { RetryingClient } from './retrying-client.js';

const OLD = 'nodegroup-service';
const NEW = 'nodegroup-service-2';
const PATIENCE_MS = 60_000;
const flavor = { cpus: 1, memoryMb: 512 };
const nodeGroups = [{ name: 'w', role: 'worker', count: 1, flavor }];
/** What makes a process one of a later release, in which resizing a node group is an event of version 2. */
const laterRelease = { NODE_OPTIONS: `--require ${join(repositoryRoot(), 'test/fault/services/newer-release.cjs')}` };

interface Group {
  readonly count: number;
  readonly status: string;
}

describeOn(natsMissing() ?? ferretMissing(), 'a rolling upgrade to a release with a new version of an event', () => {
  let dataDir: string;
  let stack: DistributedStack;
  let client: StaveClient;
  let retrying: RetryingClient;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'stave-fault-upgrade-'));
    stack = await startDistributed({
      dataDir,
      conductors: [{ id: 'one', group: '' }],
      replicas: { [OLD]: 2 },
      mongo: true,
      // the services that follow node groups are upgraded before the first replica that writes the new version
      envOf: { 'cluster-service': laterRelease, 'container-scheduler': laterRelease, [NEW]: laterRelease },
    });
    client = new StaveClient(stack.url, stack.adminKey);
    retrying = new RetryingClient(stack.urls, stack.adminKey);
  }, 180_000);

  afterAll(async () => {
    await stack?.close();
    await rm(dataDir, { recursive: true, force: true });
  }, 120_000);

  const ready = async (name: string): Promise<{ readonly status: number; readonly body: unknown }> => {
    const answer = await fetch(`http://127.0.0.1:${stack.process(name).setting('HEALTH_PORT')}/readyz`);
    return { status: answer.status, body: await answer.json() };
  };
  const metrics = async (name: string): Promise<string> =>
    (await fetch(`http://127.0.0.1:${stack.process(name).setting('HEALTH_PORT')}/metrics`)).text();
  const path = '/v1/clusters/c/node-groups/w';
  const group = (): Promise<Group> => client.read<Group>(path);
  const resize = (count: number): Promise<unknown> =>
    retrying.succeeded('POST', `${path}/actions/resize`, `to-${count}`, { count });
  const complete = (count: number): Promise<unknown> =>
    eventually(
      async () => {
        const shown = await group();
        return shown.count === count && shown.status === 'ACTIVE';
      },
      { timeoutMs: PATIENCE_MS, what: `the group of ${count} nodes` },
    );
  const log = (name: string): Promise<string> => readFile(join(dataDir, 'logs', `${name}.log`), 'utf8');

  it('the old replica leaves commands and leadership to the new one and serves reads; its restart with the new release is all it needs', async () => {
    await retrying.succeeded('POST', '/v1/clusters', 'c', { name: 'c', driver: 'fake', nodeGroups });
    expect((await ready(OLD)).status).toBe(200);

    // resized by either replica, until the new one has written an event of version 2
    let count = 1;
    await eventually(
      async () => {
        await resize((count += 1));
        return (await ready(OLD)).status === 503;
      },
      { timeoutMs: PATIENCE_MS, what: 'the old replica has met an event of the new release' },
    );
    expect(await ready(OLD)).toMatchObject({
      body: {
        status: 'not ready',
        checks: { documentStore: 'ok', events: expect.stringMatching(/^NodeGroupResized has version 2, .*; upgrade/) },
      },
    });
    expect((await ready(NEW)).status).toBe(200);
    expect(await metrics(OLD)).toMatch(/^stave_newer_events_total\{handling="unreadable"\} [1-9]/m);
    expect(await metrics(NEW)).not.toMatch(/^stave_newer_events_total\{/m);

    // both replicas answer reads, and every command reaches the new one
    for (let i = 0; i < 20; i += 1) {
      expect((await client.get(path)).status).toBe(200);
      expect((await client.get('/v1/nodes')).status).toBe(200);
    }
    await resize((count += 1));
    await complete(count);
    expect((await client.get<{ items: readonly unknown[] }>('/v1/nodes')).body.items).toHaveLength(count);
    expect((await log(OLD)).match(/a newer release has written an event that this process cannot read/g)).toHaveLength(
      1,
    );

    // without the new replica reads continue, and commands are refused with what to do
    await stack.process(NEW).kill();
    await complete(count);
    const refused = await client.post(`${path}/actions/resize`, { count: count + 1 });
    expect(expectProblem(refused, 503)).toMatchObject({
      code: 'newer-release',
      detail: expect.stringContaining('NodeGroupResized has version 2'),
    });
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(stack.process(OLD).running).toBe(true);

    // the upgrade of the old replica: in this test its restart beside the new one, which then serves alone
    await stack.process(OLD).stop();
    await stack.process(NEW).start();
    await resize((count += 1));
    await complete(count);
  }, 300_000);
});
