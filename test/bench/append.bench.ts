import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectEventStoreDb, type EventStore } from '@stave/platform';
import { accepts, freePort, namedEventStore, repositoryRoot } from '@stave/testing';
import { ManagedProcess } from '../distributed/managed-process.js';
import { numberOption } from './bench-options.js';
import { mustBe, report, run } from './bench-report.js';
import { rawAppendsPerSecond } from './raw-appends.js';

/**
 * `npm run bench -- append [count n] [in-flight n]` measures appends of one event each through the adapter of EventStoreDB: one after
 * the other, and many at once. The server is `npm run event-store` in its own process, or `EVENTSTORE_URL`. Baseline: the
 * embedded store in one process.
 */
const args = process.argv.slice(2);
const count = numberOption(args, 'count', 2_000);
const inFlight = numberOption(args, 'in-flight', 2_000);
const given = namedEventStore();
/** Streams of this run alone, on a server that others may use. */
const streamPrefix = `bench${randomUUID().slice(0, 8)}.`;

const append = (store: EventStore) =>
  store.append(
    `measured-${randomUUID()}`,
    [
      {
        id: randomUUID(),
        type: 'Measured',
        data: { nodeGroupId: randomUUID(), name: 'workers-1', status: 'ACTIVE' },
        metadata: { schemaVersion: 1, time: new Date().toISOString(), correlationId: randomUUID() },
      },
    ],
    'no_stream',
  );

interface Speed {
  readonly perSecond: number;
  /** Microseconds of CPU of this process, which holds the adapter but not the server. */
  readonly cpuMicros: number;
}

async function speedOf(total: number, work: () => Promise<unknown>): Promise<Speed> {
  const started = performance.now();
  const cpu = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { perSecond: (total / (performance.now() - started)) * 1000, cpuMicros: (user + system) / total };
}

async function measure(url: string): Promise<{ readonly sequential: Speed; readonly concurrent: Speed }> {
  const store = await connectEventStoreDb({ connectionString: url, deadlineMs: 60_000, streamPrefix });
  const many = async (): Promise<void> => {
    const results = await Promise.all(Array.from({ length: inFlight }, () => append(store)));
    mustBe(
      results.every(({ revision }) => revision === 0),
      'every append is acknowledged',
    );
  };
  await many();
  const sequential = await speedOf(count, async () => {
    for (let n = 0; n < count; n++) await append(store);
  });
  const concurrent = await speedOf(3 * inFlight, async () => {
    for (let round = 0; round < 3; round++) await many();
  });
  await store.close();
  return { sequential, concurrent };
}

run(async () => {
  const directory = await mkdtemp(join(tmpdir(), 'stave-bench-'));
  const port = await freePort();
  const server = new ManagedProcess('event-store', {
    entry: join(repositoryRoot(), 'apps/all-in-one/dist/event-store.main.js'),
    env: { ...process.env, DATA_DIR: directory, HOST: '127.0.0.1', PORT: String(port) },
    cwd: directory,
    logFile: join(directory, 'event-store.log'),
    ready: () => accepts(port),
  });
  if (given === undefined) await server.start();
  try {
    const { sequential, concurrent } = await measure(given ?? `esdb://127.0.0.1:${port}?tls=false`);
    const baseline = await rawAppendsPerSecond();
    report('append', given === undefined ? "EventStoreDB's protocol" : 'EVENTSTORE_URL', { count, inFlight }, [
      { figure: 'appends, one after the other', value: sequential.perSecond, unit: 'appends/s', baseline },
      { figure: 'CPU of the adapter per append, one after the other', value: sequential.cpuMicros, unit: 'µs' },
      { figure: `appends, ${inFlight} in flight`, value: concurrent.perSecond, unit: 'appends/s', baseline },
      { figure: `CPU of the adapter per append, ${inFlight} in flight`, value: concurrent.cpuMicros, unit: 'µs' },
    ]);
  } finally {
    if (given === undefined) await server.kill('SIGTERM');
    await rm(directory, { recursive: true, force: true });
  }
});
