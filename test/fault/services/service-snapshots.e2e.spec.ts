import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { connectEventStoreDb, type RecordedEvent } from '@stave/platform';
import { describeOn, eventually, natsMissing, StaveClient } from '@stave/testing';
import { startDistributed, type DistributedStack } from '../../distributed/stack.js';
import type { NodeView } from '../../e2e/views.js';

const SERVICES = ['cluster-service', 'nodegroup-service', 'container-scheduler'];
const flavor = { cpus: 1, memoryMb: 512 };
const NODES = 40;
/** Of the snapshot: its mark, and the length and checksum of its header. */
const MARK_BYTES = 15;
const PIECE_BYTES = 8;

interface Start {
  /** The position after which the log was read; -1: from the first event. */
  readonly after: number;
  /** The number of events that were read. */
  readonly events: number;
}

describeOn(natsMissing(), 'a service in a process of its own starts from its snapshot', () => {
  let dataDir: string;
  let stack: DistributedStack;
  let api: StaveClient;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'stave-fault-snapshots-'));
    stack = await startDistributed({ dataDir, conductors: [{ id: 'one', group: '' }] });
    api = new StaveClient(stack.url, stack.adminKey);
    const nodeGroups = [{ name: 'w', role: 'worker', count: NODES, flavor }];
    await api.succeed(api.post('/v1/clusters', { name: 'first', driver: 'fake', nodeGroups }));
  }, 240_000);

  afterAll(async () => {
    await stack?.close();
    await rm(dataDir, { recursive: true, force: true });
  }, 120_000);

  const snapshotOf = (service: string): string => join(dataDir, 'services', service, `${service}.snapshot`);

  /** Returns how the process started, each time. */
  async function startsOf(service: string): Promise<readonly Start[]> {
    const lines = (await readFile(join(dataDir, 'logs', `${service}.log`), 'utf8')).split('\n');
    return lines.filter(line => line.includes('"the log is folded"')).map(line => JSON.parse(line) as Start);
  }

  async function lastStartOf(service: string): Promise<Start> {
    const start = (await startsOf(service)).at(-1);
    if (!start) throw new Error(`${service} did not start`);
    return start;
  }

  async function eventsAfter(position: number): Promise<readonly RecordedEvent[]> {
    const { eventStoreUrl: connectionString, streamPrefix } = stack;
    const store = await connectEventStoreDb({ connectionString, streamPrefix });
    try {
      return await store.readAll({ ...(position >= 0 && { after: position }), limit: 100_000 });
    } finally {
      await store.close();
    }
  }

  async function nodes(): Promise<readonly string[]> {
    const answered = async (): Promise<readonly NodeView[] | undefined> => {
      const { status, body } = await api.get<{ readonly items: readonly NodeView[] }>('/v1/nodes?limit=200&sort=name');
      return status === 200 ? body.items : undefined;
    };
    const items = await eventually(answered, { timeoutMs: 60_000, what: 'a list of nodes' });
    return items.map(({ id, status }) => `${id} ${status}`);
  }

  it('after kill -9 it reads only the events since its snapshot, and shows the same', async () => {
    const service = stack.process('nodegroup-service');
    expect(await lastStartOf('nodegroup-service')).toMatchObject({ after: -1 });
    await service.restart(); // saves the snapshot
    const restarted = await lastStartOf('nodegroup-service');
    expect(restarted.after).toBeGreaterThan(0);

    await api.succeed(
      api.post('/v1/clusters', {
        name: 'second',
        driver: 'fake',
        nodeGroups: [{ name: 'w', role: 'worker', count: 2, flavor }],
      }),
    );
    const before = await nodes();
    expect(before).toHaveLength(NODES + 2);
    await service.kill();
    await service.start();
    const started = await lastStartOf('nodegroup-service');
    const [all, since] = [await eventsAfter(-1), await eventsAfter(started.after)];
    expect(started.after).toBe(restarted.after);
    expect(started.events).toBeGreaterThan(0);
    expect(started.events).toBeLessThanOrEqual(since.length);
    expect(started.events).toBeLessThan(all.length / 4);
    expect(await nodes()).toEqual(before);
  }, 240_000);

  it('every service continues from its own snapshot after an orderly restart', async () => {
    const before = await nodes();
    for (const name of SERVICES) await stack.process(name).restart();
    for (const name of SERVICES) {
      const { after, events } = await lastStartOf(name);
      expect([name, after > 0]).toEqual([name, true]);
      // what happened between the ends of the processes, such as the leaves of their sessions
      expect([name, events < 20]).toEqual([name, true]);
      expect(await readdir(join(dataDir, 'services', name))).toEqual([`${name}.snapshot`]);
    }
    expect(await nodes()).toEqual(before);
  }, 240_000);

  it('a snapshot of another release is refused, and the log is folded', async () => {
    const service = stack.process('nodegroup-service');
    await service.stop();
    const bytes = await readFile(snapshotOf('nodegroup-service'));
    const header = bytes.subarray(MARK_BYTES + PIECE_BYTES, MARK_BYTES + PIECE_BYTES + bytes.readUInt32BE(MARK_BYTES));
    const [code = ''] = /[0-9a-f]{64}/.exec(header.toString('latin1')) ?? [];
    header.write(
      code.replaceAll(/[0-9a-f]/g, digit => (digit === '0' ? '1' : '0')),
      header.indexOf(code),
      'latin1',
    );
    bytes.writeUInt32BE(crc32(header), MARK_BYTES + 4);
    await writeFile(snapshotOf('nodegroup-service'), bytes);
    await service.start();
    expect(await lastStartOf('nodegroup-service')).toMatchObject({ after: -1 });
    expect(service.logTail()).toContain('the folded states are of another release');
    expect(await nodes()).toHaveLength(NODES + 2);
  }, 240_000);

  it('a snapshot of a log that was replaced is refused, and nothing of it is shown', async () => {
    for (const name of ['one', 'api-gateway', ...SERVICES, 'event-store']) await stack.process(name).stop();
    await rm(join(dataDir, 'event-store'), { recursive: true });
    for (const name of ['event-store', ...SERVICES, 'api-gateway', 'one']) await stack.process(name).start();
    // the positions that the first client has seen are not of this log
    api = new StaveClient(stack.url, stack.adminKey);
    for (const name of SERVICES) {
      expect([name, (await lastStartOf(name)).after]).toEqual([name, -1]);
      expect(stack.process(name).logTail()).toContain('the snapshot file is of another log');
    }
    expect(await nodes()).toEqual([]);
  }, 240_000);
});
