import 'reflect-metadata';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '@stave/testing';
import { ApiClient } from '../demo/api-client.js';
import { numberOption } from './bench-options.js';
import { mustBe, report, run, type Figure } from './bench-report.js';
import { churnDistributed } from './churn-distributed.js';
import { build, churn, nodeCount, percentile, readPast, settle } from './churn-rounds.js';
import { memoryInUse, type Memory } from './memory-in-use.js';
import { startEmbedded, type EmbeddedProduct } from './embedded-product.js';

/**
 * `npm run bench -- churn [--nodes 200000] [--alive 500] [--round 500]` creates and deletes fake nodes in rounds, in this process, while
 * `alive` nodes live. It measures the memory after the first and the last tenth, after a garbage collection; then the start on this log
 * against a start on a log with the living nodes alone, and reads of deleted nodes in the past. With `distributed` it does the same with
 * the product in separate processes, and with `mongo` with stored documents there.
 */
const args = process.argv.slice(2);
const [nodes, alive, round] = [
  numberOption(args, '--nodes', 200_000),
  numberOption(args, '--alive', 500),
  numberOption(args, '--round', 500),
];

/** Returns the seconds from the start of the process until it reports that it is ready: the faster of two. */
async function start(product: EmbeddedProduct): Promise<number> {
  const seconds: number[] = [];
  for (let i = 0; i < 2; i += 1) {
    const port = await freePort();
    const { dataDir, key } = product;
    const env = { ...process.env, PORT: String(port), DATA_DIR: dataDir, DRIVERS_ENABLED: 'fake', LOG_LEVEL: 'error' };
    const entry = join(__dirname, '..', '..', '..', 'apps', 'all-in-one', 'dist', 'main.js');
    const started = performance.now();
    const child = spawn(process.execPath, [entry], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    for await (const line of createInterface({ input: child.stdout })) if (line.startsWith('Stave is ready')) break;
    seconds.push((performance.now() - started) / 1000);
    mustBe((await nodeCount(new ApiClient(`http://127.0.0.1:${port}`, key))) === alive, 'the living nodes are there');
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  return Math.min(...seconds);
}

const snapshotMb = async ({ dataDir }: EmbeddedProduct): Promise<number> =>
  (await stat(join(dataDir, 'event-store', 'snapshot'))).size / 2 ** 20;

/** Starts on a log that has nothing but the living nodes. */
async function livingAlone(): Promise<{ readonly seconds: number; readonly snapshot: number }> {
  const product = await startEmbedded();
  try {
    await build(product.api, 'living', alive);
    await product.close();
    return { seconds: await start(product), snapshot: await snapshotMb(product) };
  } finally {
    await product.remove();
  }
}

async function embedded(): Promise<void> {
  const bare = await livingAlone();
  const product = await startEmbedded();
  try {
    await build(product.api, 'living', alive);
    await settle();
    const before = memoryInUse();
    const after: Memory[] = [];
    const started = performance.now();
    const seen = await churn(product.api, { nodes, round }, async so => {
      const now = memoryInUse();
      after.push(now);
      process.stderr.write(`${so} nodes: heap ${now.heapMb.toFixed(0)} MB, resident ${now.rssMb.toFixed(0)} MB\n`);
    });
    const minutes = (performance.now() - started) / 60_000;
    mustBe((await nodeCount(product.api)) === alive, 'the living nodes are there');
    const past = await readPast(product.api, seen);
    const [first = before] = after;
    const last = after.at(-1) ?? before;
    await product.close();
    const snapshot = await snapshotMb(product);
    const again = await start(product);
    const figures: Figure[] = [
      { figure: 'heap before', value: before.heapMb, unit: 'MB' },
      { figure: 'heap after the first tenth', value: first.heapMb, unit: 'MB' },
      { figure: 'heap after the last tenth', value: last.heapMb, unit: 'MB' },
      { figure: 'heap, last / first tenth', value: last.heapMb / first.heapMb, unit: '', target: '<= 1.1' },
      { figure: 'resident, first tenth', value: first.rssMb, unit: 'MB' },
      { figure: 'resident, last tenth', value: last.rssMb, unit: 'MB' },
      { figure: 'resident, last / first tenth', value: last.rssMb / first.rssMb, unit: '', target: '<= 1.1' },
      { figure: 'heap for each node that was', value: ((last.heapMb - before.heapMb) * 1024) / nodes, unit: 'kB' },
      { figure: 'snapshot file', value: snapshot, unit: 'MB', baseline: bare.snapshot },
      { figure: 'start to ready', value: again, unit: 's', baseline: bare.seconds, target: '<= 1.2' },
      { figure: 'a deleted node in the past, median', value: percentile(past, 0.5), unit: 'ms', target: '<= 100 ms' },
      { figure: 'a deleted node in the past, worst', value: percentile(past, 1), unit: 'ms', target: '<= 100 ms' },
      { figure: 'rounds took', value: minutes, unit: 'min' },
    ];
    report('churn', 'embedded, fake driver', { nodes, alive, round }, figures);
  } finally {
    await product.remove();
  }
}

const mongo = args.includes('mongo');
run(() => (args.includes('distributed') ? churnDistributed({ nodes, alive, round, mongo }) : embedded()));
