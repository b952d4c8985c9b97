import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEventStore } from '@stave/platform';
import { numberOption } from './bench-options.js';
import { mustBe, report, run, type Figure } from './bench-report.js';
import { READS, type LogProbe, type Probed } from './log.process.js';

/**
 * `npm run bench -- log [--events 1000000]` writes a log of that many events and one of a tenth, and opens each of them in processes of their own: what a start, memory, an
 * append to a new stream and reads of the past cost. Baseline of each figure: the log of a tenth.
 */
const PER_STREAM = 6;
/** Logs of multiples of this many events have equally many that their index does not have, so that starts read equally much. */
const STEP = 16_384 * PER_STREAM;
const tenth = Math.max(1, Math.round(numberOption(process.argv, '--events', 1_000_000) / 10 / STEP)) * STEP;
const events = tenth * 10;
const IN_FLIGHT = 2_048;
const FILLER = 'x'.repeat(400);
const STARTS = 3;

/** Returns the streams that are read later, of all ages. */
async function write(directory: string, count: number): Promise<readonly string[]> {
  const store = await EmbeddedEventStore.open({ directory, fsync: false });
  const all = count / PER_STREAM;
  const every = Math.floor(all / READS);
  const sample: string[] = [];
  for (let done = 0; done < all; done += IN_FLIGHT) {
    const streams = Array.from({ length: IN_FLIGHT }, () => `node-${randomUUID()}`);
    sample.push(...streams.filter((_, i) => (done + i) % every === 0));
    await Promise.all(streams.map(stream => store.append(stream, eventsOf(), 'no_stream')));
  }
  mustBe((await store.head()) === count - 1, `${count} events were written`);
  await store.close();
  return sample;
}

const eventsOf = () =>
  Array.from({ length: PER_STREAM }, () => ({
    id: randomUUID(),
    type: 'NodeDeclared',
    data: { filler: FILLER },
    metadata: { schemaVersion: 1, time: '2026-01-02T03:04:05.678Z', correlationId: randomUUID() },
  }));

async function probe(order: LogProbe): Promise<Probed> {
  const child = fork(join(__dirname, 'log.process.js'), { execArgv: [...process.execArgv, '--expose-gc'] });
  child.send(order);
  const [probed]: [Probed] = (await once(child, 'message')) as [Probed];
  await once(child, 'exit');
  return probed;
}

const least = (all: readonly Probed[], of: keyof Probed): number => Math.min(...all.map(one => one[of]));

run(async () => {
  const root = await mkdtemp(join(tmpdir(), 'stave-log-bench-'));
  try {
    const [small, large] = [join(root, 'small'), join(root, 'large')];
    const orders: readonly LogProbe[] = [
      { directory: small, streams: await write(small, tenth), perStream: PER_STREAM },
      { directory: large, streams: await write(large, events), perStream: PER_STREAM },
    ];
    const seen: Probed[][] = [[], []];
    for (let i = 0; i < STARTS; i++)
      for (const [which, order] of orders.entries()) seen[which]?.push(await probe(order));
    const [before = [], whole = []] = seen;
    const figure = (name: string, of: keyof Probed, unit: string, target?: string): Figure => ({
      figure: name,
      value: least(whole, of),
      unit,
      baseline: least(before, of),
      ...(target !== undefined && { target }),
    });
    report('log', 'embedded', { events }, [
      figure('open, CPU', 'openCpuMs', 'ms', '<= 1.2 x'),
      figure('open', 'openMs', 'ms'),
      figure('memory in use after opening', 'openMb', 'MB', '<= 1.1 x'),
      figure('the same after reads of the past', 'readMb', 'MB', '<= 1.1 x'),
      figure('resident', 'rssMb', 'MB', '<= 1.1 x'),
      figure('read of a stream of the past, median', 'medianMs', 'ms'),
      figure('the same, worst', 'worstMs', 'ms', '<= 100 ms'),
      figure('append to a new stream, CPU', 'appendCpuUs', 'us'),
    ]);
  } finally {
    await rm(root, { recursive: true });
  }
});
