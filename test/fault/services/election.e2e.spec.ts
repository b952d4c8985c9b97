import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveEventStore, ServerFaults, type EventStoreServer } from '@stave/event-store-server';
import { EmbeddedEventStore } from '@stave/platform';
import { withSparsePositions } from '@stave/platform/testing';
import { describeOn, eventually, natsMissing, operationIdOf, StaveClient } from '@stave/testing';
import { startDistributed, type DistributedStack } from '../../distributed/stack.js';
import { checkHistory } from '../check-history.js';
import { readHistory } from '../read-history.js';

jest.setTimeout(300_000);

const SERVICES = ['cluster-service', 'nodegroup-service', 'container-scheduler', 'api-gateway'];
const SESSION_MS = 3_000;
const PATIENCE = { timeoutMs: 120_000, everyMs: 100 };
const group = (name: string, count: number) => ({
  ...{ name, role: 'worker', count, flavor: { cpus: 4, memoryMb: 4_096 } },
  options: { latencyMs: 300 },
});

interface Named {
  readonly id: string;
  readonly status: string;
}

describeOn(natsMissing(), 'an event store with the elections of a real one', () => {
  const faults = new ServerFaults();
  let dataDir: string;
  let log: EmbeddedEventStore;
  let server: EventStoreServer;
  let stack: DistributedStack;
  let api: StaveClient;
  const statuses: number[] = [];

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'stave-fault-election-'));
    log = await EmbeddedEventStore.open({ memory: true });
    server = await serveEventStore(withSparsePositions(log), { faults, liveBuffer: 32 });
    stack = await startDistributed({
      dataDir,
      conductors: ['one', 'two'].map(id => ({ id, group: '' })),
      eventStoreUrl: `esdb://127.0.0.1:${server.port}?tls=false`,
      env: { HEARTBEAT_MS: '500', SESSION_TIMEOUT_MS: String(SESSION_MS) },
    });
    api = new StaveClient(stack.url, stack.adminKey);
  });

  afterAll(async () => {
    await stack?.close();
    await server.close();
    await log.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  /** Sends a command until it is accepted, always with the same key. Returns the resource when its operation has succeeded. */
  async function done(path: string, body: object, idempotencyKey: string): Promise<Named> {
    const answer = await eventually(
      async () => {
        const sent = await api.send<Named>('POST', path, { body, idempotencyKey });
        statuses.push(sent.status);
        return sent.status === 503 ? undefined : sent;
      },
      { ...PATIENCE, what: `an answer to ${path}` },
    );
    expect([path, answer.status, answer.text.slice(0, 300)]).toEqual([path, 202, expect.anything()]);
    const operation = await eventually(
      async () => {
        const read = await api.get<{ readonly status: string }>(`/v1/operations/${operationIdOf(answer)}`);
        statuses.push(read.status);
        return read.status === 200 && /SUCCEEDED|FAILED/.test(read.body.status) ? read.body : undefined;
      },
      { ...PATIENCE, what: `the end of ${path}` },
    );
    expect(operation.status).toBe('SUCCEEDED');
    return answer.body;
  }

  const heardAt = async (id: string): Promise<number> => {
    const { status, body } = await api.get<{ readonly lastHeartbeatAt: string }>(`/v1/conductors/${id}`);
    return status === 200 ? Date.parse(body.lastHeartbeatAt) : NaN;
  };
  const claims = async (): Promise<number> =>
    (await log.readAll({ limit: 5_000 })).filter(({ type }) => type === 'TaskClaimed').length;
  const ringEvents = async (): Promise<readonly string[]> =>
    (await log.readStream('conductorRing')).map(({ type }) => type);

  it('one that lasts longer than sessions ends no process and no session, and what was asked for is done once', async () => {
    const host = await done('/v1/clusters', { name: 'host', driver: 'fake', nodeGroups: [group('w', 2)] }, 'host');
    const profile = { name: 'web', image: 'i:1', hostCluster: host.id, resources: { cpus: 0.1, memoryMb: 32 } };
    expect((await api.post('/v1/container-profiles', profile)).status).toBe(201);
    const before = await claims();
    const busy = done('/v1/clusters', { name: 'busy', driver: 'fake', nodeGroups: [group('w', 12)] }, 'busy');
    await eventually(async () => (await claims()) > before + 1, { ...PATIENCE, what: 'nodes are being built' });
    const [ringBefore, began] = [await ringEvents(), Date.now()];

    faults.startElection('not-ready');
    // names and quotas, the ledger, and a stream of a node group
    const asked = [
      done('/v1/clusters', { name: 'asked', driver: 'fake', nodeGroups: [group('w', 1)] }, 'asked'),
      done('/v1/containers', { name: 'web-1', profile: 'web' }, 'web-1'),
      done(`/v1/clusters/${host.id}/node-groups/w/actions/resize`, { count: 3 }, 'resize'),
    ];
    const outlasts = async (): Promise<boolean> => {
      const heard = await Promise.all(['one', 'two'].map(heardAt));
      return heard.every(at => at > began + 2 * SESSION_MS);
    };
    await eventually(outlasts, { ...PATIENCE, what: 'conductors are heard for longer than a session lasts' });
    expect(faults.refused).toBeGreaterThan(10);
    faults.endElection();

    await Promise.all([busy, ...asked]);
    expect(statuses.filter(status => status >= 500 && status !== 503)).toEqual([]);
    expect([...SERVICES, 'one', 'two'].filter(name => !stack.process(name).running)).toEqual([]);
    expect(await ringEvents()).toEqual(ringBefore);
    for (const [cluster, count] of Object.entries({ busy: 12, asked: 1, host: 3 })) {
      const nodes = await api.list<Named>(`/v1/clusters/${cluster}/nodes?limit=100`);
      expect([cluster, nodes.map(({ status }) => status)]).toEqual([
        cluster,
        Array.from({ length: count }, () => 'ACTIVE'),
      ]);
    }
    expect(checkHistory(await readHistory(stack))).toEqual([]);
  });

  it('a conductor that starts during one is registered afterwards', async () => {
    await stack.process('two').kill();
    faults.startElection('no-leader-info');
    const started = stack.process('two').start();
    const refused = faults.refused;
    await eventually(() => faults.refused > refused + 3, { ...PATIENCE, what: 'calls are refused' });
    faults.endElection();
    await started;
    expect(SERVICES.filter(name => !stack.process(name).running)).toEqual([]);
  });

  it('identical requests at once get one answer although the server aborts identical appends', async () => {
    faults.identicalAppendsAbortMs = 100;
    const body = { name: 'thrice', driver: 'fake', nodeGroups: [] };
    const answers = await Promise.all(
      [1, 2, 3].map(() => api.send<Named>('POST', '/v1/clusters', { body, idempotencyKey: 'thrice' })),
    );
    faults.identicalAppendsAbortMs = undefined;
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
    expect(new Set(answers.map(answer => answer.body.id)).size).toBe(1);
  });
});
