import { mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@stave/testing';
import { ApiClient } from '../demo/api-client.js';
import { startDistributed, type DistributedStack } from '../distributed/stack.js';
import { cpuSeconds } from './cpu-seconds.js';
import { mustBe, report, type Figure } from './bench-report.js';
import { build, churn, nodeCount, percentile, readPast, settle } from './churn-rounds.js';
import type { Memory } from './memory-in-use.js';

const SERVICES = ['cluster-service', 'nodegroup-service', 'container-scheduler'];
/** The product, without what replaces servers of others: the event store and the fake cloud. */
const MEASURED = [...SERVICES, 'api-gateway', 'c1'];

export interface ChurnSize {
  readonly nodes: number;
  readonly alive: number;
  readonly round: number;
  readonly mongo: boolean;
}

/** Until the service was ready. */
interface Start {
  readonly seconds: number;
  readonly cpu: number;
}

type Memories = ReadonlyMap<string, Memory>;

/** The product in separate processes that report their memory, with a living cluster. */
class ChurnedStack {
  private constructor(
    private readonly dataDir: string,
    private readonly stack: DistributedStack,
    readonly api: ApiClient,
  ) {}

  static async start({ alive, mongo }: ChurnSize): Promise<ChurnedStack> {
    const dataDir = await mkdtemp(join(tmpdir(), 'stave-bench-'));
    const memory = join(dataDir, 'memory');
    await mkdir(memory);
    const env = {
      MEMORY_DIR: memory,
      NODE_OPTIONS: `--require ${join(__dirname, 'memory-probe.js')}`,
      LOG_LEVEL: 'warn',
    };
    const stack = await startDistributed({ dataDir, conductors: [{ id: 'c1', group: '' }], mongo, env });
    const started = new ChurnedStack(dataDir, stack, new ApiClient(stack.url, stack.adminKey));
    await build(started.api, 'living', alive);
    return started;
  }

  /** Returns the memory of each process after a garbage collection. */
  async memories(): Promise<Memories> {
    const found = new Map<string, Memory>();
    for (const name of MEASURED) {
      const { pid } = this.stack.process(name);
      const file = join(this.dataDir, 'memory', `${pid}.json`);
      await rm(file, { force: true });
      this.stack.process(name).signal('SIGUSR2');
      const text = await eventually(() => readFile(file, 'utf8').catch(() => undefined), {
        timeoutMs: 60_000,
        what: file,
      });
      found.set(name, JSON.parse(text) as Memory);
    }
    return found;
  }

  /** Starts each service again: the best of three. */
  async starts(withSnapshots = true): Promise<ReadonlyMap<string, Start>> {
    const found = new Map<string, Start>();
    for (const name of SERVICES)
      for (let i = 0; i < 3; i += 1) {
        const process = this.stack.process(name);
        await process.stop();
        if (!withSnapshots) await rm(this.snapshot(name));
        const started = performance.now();
        await process.start();
        const seconds = (performance.now() - started) / 1000;
        const cpu = await cpuSeconds(process.pid ?? 0);
        const best = found.get(name) ?? { seconds, cpu };
        found.set(name, { seconds: Math.min(best.seconds, seconds), cpu: Math.min(best.cpu, cpu) });
      }
    return found;
  }

  async snapshotMb(): Promise<number> {
    const sizes = await Promise.all(SERVICES.map(async name => (await stat(this.snapshot(name))).size));
    return sizes.reduce((sum, size) => sum + size, 0) / 2 ** 20;
  }

  async close(): Promise<void> {
    await this.stack.close();
    await rm(this.dataDir, { recursive: true, force: true });
  }

  private snapshot(name: string): string {
    return join(this.dataDir, 'services', name, `${name}.snapshot`);
  }
}

interface Starts {
  readonly starts: ReadonlyMap<string, Start>;
  readonly snapshot: number;
}

/** Measures starts on a log that has nothing but the living nodes. */
async function livingAlone(size: ChurnSize): Promise<Starts> {
  const stack = await ChurnedStack.start(size);
  try {
    return { starts: await stack.starts(), snapshot: await stack.snapshotMb() };
  } finally {
    await stack.close();
  }
}

const memoryFigures = (first: Memories, last: Memories): Figure[] =>
  [...first].flatMap(([name, { heapMb, rssMb }]) => {
    const then = last.get(name) ?? { heapMb: Number.NaN, rssMb: Number.NaN };
    const target = '<= 1.1';
    return [
      { figure: `heap of ${name}, last / first tenth`, value: then.heapMb, unit: 'MB', baseline: heapMb, target },
      { figure: `resident of ${name}, last / first tenth`, value: then.rssMb, unit: 'MB', baseline: rssMb, target },
    ];
  });

const NEVER: Start = { seconds: Number.NaN, cpu: Number.NaN };

function startFigures(alone: Starts, again: Starts, folded: ReadonlyMap<string, Start>): Figure[] {
  const starts = SERVICES.flatMap((name): Figure[] => {
    const of = (starts: ReadonlyMap<string, Start>): Start => starts.get(name) ?? NEVER;
    const [bare, now, complete] = [of(alone.starts), of(again.starts), of(folded)];
    return [
      { figure: `start of ${name}`, value: now.seconds, unit: 's', baseline: bare.seconds, target: '<= 1.2' },
      { figure: `CPU of its start`, value: now.cpu, unit: 's', baseline: bare.cpu, target: '<= 1.2' },
      { figure: `CPU without its snapshot`, value: complete.cpu, unit: 's', baseline: bare.cpu },
    ];
  });
  return [...starts, { figure: 'snapshots', value: again.snapshot, unit: 'MB', baseline: alone.snapshot }];
}

/** As `churn` in this process: memory of every process, starts of the services, and reads of deleted nodes in the past. */
export async function churnDistributed(size: ChurnSize): Promise<void> {
  const alone = await livingAlone(size);
  const stack = await ChurnedStack.start(size);
  try {
    await settle();
    const tenths: Memories[] = [];
    const started = performance.now();
    const seen = await churn(stack.api, size, async so => {
      tenths.push(await stack.memories());
      const shown = [...(tenths.at(-1) ?? [])].map(([name, { heapMb, rssMb }]) =>
        [name, heapMb.toFixed(0), rssMb.toFixed(0)].join(' '),
      );
      process.stderr.write(`${so} nodes, heap and resident MB: ${shown.join(', ')}\n`);
    });
    const minutes = (performance.now() - started) / 60_000;
    mustBe((await nodeCount(stack.api)) === size.alive, 'the living nodes are there');
    const past = await readPast(stack.api, seen);
    const again = { starts: await stack.starts(), snapshot: await stack.snapshotMb() };
    const folded = await stack.starts(false);
    mustBe((await nodeCount(stack.api)) === size.alive, 'the living nodes are there after the starts');
    const [first, last] = [tenths.at(0), tenths.at(-1)];
    if (!first || !last) throw new Error('there are fewer rounds than one');
    report('churn', `distributed, fake driver, ${size.mongo ? 'FerretDB' : 'in-process documents'}`, { ...size }, [
      ...memoryFigures(first, last),
      ...startFigures(alone, again, folded),
      { figure: 'a deleted node in the past, median', value: percentile(past, 0.5), unit: 'ms', target: '<= 100 ms' },
      { figure: 'a deleted node in the past, worst', value: percentile(past, 1), unit: 'ms', target: '<= 100 ms' },
      { figure: 'rounds took', value: minutes, unit: 'min' },
    ]);
  } finally {
    await stack.close();
  }
}
