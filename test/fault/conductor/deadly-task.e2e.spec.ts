import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeOn, eventually, natsMissing } from '@stave/testing';
import { startDistributed, type DistributedStack } from '../../distributed/stack.js';
import { checkHistory } from '../check-history.js';
import { factOf, textIn, type HistoryEvent } from '../history.js';
import { readHistory } from '../read-history.js';

const CONDUCTORS = ['one', 'two', 'three'];
const TIMEOUT_MS = 240_000;
const flavor = { cpus: 1, memoryMb: 512 };
const group = (name: string, count: number) => ({ name, role: 'worker', count, flavor });

describeOn(natsMissing(), 'a task that ends the process of every conductor that takes it', () => {
  let dataDir: string;
  let deadlyCalls: string;
  let stack: DistributedStack;
  let supervised = true;
  let supervisor: Promise<unknown> = Promise.resolve();

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'stave-fault-deadly-'));
    deadlyCalls = join(dataDir, 'deadly-calls');
    const env = { HEARTBEAT_MS: '500', SESSION_TIMEOUT_MS: '3000', FAKE_DEADLY_CALLS: deadlyCalls };
    stack = await startDistributed({ dataDir, conductors: CONDUCTORS.map(id => ({ id, group: '' })), env });
    supervisor = Promise.all(CONDUCTORS.map(supervise));
  }, 120_000);

  afterAll(async () => {
    supervised = false;
    await supervisor;
    await stack?.close();
    await rm(dataDir, { recursive: true, force: true });
  }, 120_000);

  /** Starts the conductor again whenever its process ends, as a service manager does. */
  async function supervise(id: string): Promise<void> {
    while (supervised) {
      await eventually(() => !supervised || !stack.process(id).running, { timeoutMs: TIMEOUT_MS * 2, everyMs: 100 });
      // a start fails when the task ends the process at once
      if (supervised)
        await stack
          .process(id)
          .start()
          .catch(() => undefined);
    }
  }

  const list = (path: string) => stack.rest.list(path);
  const statuses = async (): Promise<Record<string, unknown>> =>
    Object.fromEntries((await list('/v1/nodes?limit=500')).map(({ name, status }) => [String(name), status]));
  const eventsOf = async (id: unknown): Promise<readonly HistoryEvent[]> =>
    (await readHistory(stack)).events.filter(({ subject }) => subject === `node/${String(id)}`);

  it(
    'the task fails after three takeovers with the last log lines, other nodes are built, and a retry succeeds when the cause is gone',
    async () => {
      await writeFile(deadlyCalls, 'node.create deadly-1 throw\n');
      const nodeGroups = [group('deadly', 3), group('healthy', 5)];
      const created = await stack.rest.call('POST', '/v1/clusters', { name: 'c', driver: 'fake', nodeGroups });
      expect(created.status).toBe(202);
      const healthy = [...[0, 2].map(i => `deadly-${i}`), ...[0, 1, 2, 3, 4].map(i => `healthy-${i}`)];
      const expected = Object.fromEntries([...healthy.map(name => [name, 'ACTIVE']), ['deadly-1', 'FAILED']]);
      const options = { timeoutMs: TIMEOUT_MS, everyMs: 300, what: 'the task failed and all others are done' };
      await eventually(async () => {
        const now = await statuses();
        return Object.entries(expected).every(([name, status]) => now[name] === status);
      }, options);
      expect(await statuses()).toEqual(expected);

      const deadly = (await list('/v1/nodes?limit=500')).find(({ name }) => name === 'deadly-1');
      expect(deadly?.['statusReason']).toMatch(
        /^4 conductors in a row ended while they ran this task; .*\(attempt 4\): .*this call ends the process.*uncaught RangeError/,
      );
      const events = await eventsOf(deadly?.['id']);
      expect(events.filter(event => factOf(event) === 'taskClaimed')).toHaveLength(4);
      expect(events.some(event => factOf(event) === 'taskLogRecovered')).toBe(true);
      const failures = events.filter(event => factOf(event) === 'taskFailed');
      expect(failures.map(event => textIn(event, 'code'))).toEqual(['conductor-lost-repeatedly']);
      const [cluster] = await eventually(async () => {
        const found = await list('/v1/clusters');
        return found[0]?.['status'] === 'DEGRADED' && found;
      }, options);
      expect(String(cluster?.['statusReason'])).toContain('node group deadly: 1 of 3 nodes failed');

      await rm(deadlyCalls);
      const path = `/v1/nodes/${String(deadly?.['id'])}/actions/retry`;
      expect((await stack.rest.call('POST', path)).status).toBe(202);
      await eventually(async () => (await statuses())['deadly-1'] === 'ACTIVE', { ...options, what: 'the retry' });
      await eventually(async () => (await list('/v1/clusters'))[0]?.['status'] === 'ACTIVE', options);
      expect(checkHistory(await readHistory(stack))).toEqual([]);
    },
    TIMEOUT_MS * 3,
  );
});
