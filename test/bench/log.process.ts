import { randomUUID } from 'node:crypto';
import { EmbeddedEventStore } from '@stave/platform';
import { mustBe } from './bench-report.js';

export interface LogProbe {
  readonly directory: string;
  /** Streams in the order in which they were written. */
  readonly streams: readonly string[];
  readonly perStream: number;
}

export interface Probed {
  readonly openCpuMs: number;
  readonly openMs: number;
  readonly openMb: number;
  readonly readMb: number;
  readonly rssMb: number;
  readonly medianMs: number;
  readonly worstMs: number;
  readonly appendCpuUs: number;
}

/** Each stream is read once, because what was read is kept. */
export const READS = 400;
const APPENDS = 6_000;
const AT_ONCE = 500;

const cpuMs = (since?: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
};

function inUseMb(): number {
  for (let i = 0; i < 4; i++) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 2 ** 20;
}

async function reads(store: EmbeddedEventStore, { streams, perStream }: LogProbe): Promise<number[]> {
  const taken: number[] = [];
  const inAnyOrder = streams
    .map((stream, i) => [(i * 7919) % streams.length, stream] as const)
    .sort(([a], [b]) => a - b);
  for (const [, stream] of inAnyOrder.slice(0, READS)) {
    const started = performance.now();
    const events = await store.readStream(stream);
    taken.push(performance.now() - started);
    mustBe(events.length === perStream, `${stream} has ${events.length} events`);
  }
  return taken.sort((a, b) => a - b);
}

/** Returns the microseconds of CPU of an append to a stream that does not exist. */
async function appends(store: EmbeddedEventStore): Promise<number> {
  const began = process.cpuUsage();
  for (let done = 0; done < APPENDS; done += AT_ONCE)
    await Promise.all(
      Array.from({ length: AT_ONCE }, () => {
        const metadata = { schemaVersion: 1, time: '2026-01-02T03:04:05.678Z', correlationId: randomUUID() };
        return store.append(`new-${randomUUID()}`, [{ id: randomUUID(), type: 'N', data: {}, metadata }], 'no_stream');
      }),
    );
  return (cpuMs(began) * 1000) / APPENDS;
}

async function probe(order: LogProbe): Promise<Probed> {
  const began = { at: performance.now(), cpu: process.cpuUsage() };
  const store = await EmbeddedEventStore.open({ directory: order.directory, fsync: false });
  const opened = { openMs: performance.now() - began.at, openCpuMs: cpuMs(began.cpu), openMb: inUseMb() };
  const taken = await reads(store, order);
  const after = { readMb: inUseMb(), rssMb: process.memoryUsage().rss / 2 ** 20 };
  const appendCpuUs = await appends(store);
  await store.close();
  const median = taken[Math.floor(taken.length / 2)] ?? NaN;
  return { ...opened, ...after, medianMs: median, worstMs: taken.at(-1) ?? NaN, appendCpuUs };
}

process.on('message', (order: LogProbe) => {
  probe(order).then(
    probed => process.send?.(probed, () => process.exit(0)),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
