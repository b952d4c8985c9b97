import 'reflect-metadata';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '@stave/testing';
import { ApiClient, type NodeResource, type Resource } from '../demo/api-client.js';
import { numberOption } from './bench-options.js';
import { mustBe, report, run, type Figure } from './bench-report.js';
import { startEmbedded, type EmbeddedProduct } from './embedded-product.js';

/**
 * `npm run bench -- churn [--nodes 200000] [--alive 500] [--round 500]` creates and deletes fake nodes in rounds, in this process, while
 * `alive` nodes live. It measures the memory after the first and the last tenth, after a garbage collection; then the start on this log
 * against a start on a log with the living nodes alone, and reads of deleted nodes in the past.
 */
const args = process.argv.slice(2);
const [nodes, alive, round] = [
  numberOption(args, '--nodes', 200_000),
  numberOption(args, '--alive', 500),
  numberOption(args, '--round', 500),
];
const TENTHS = 10;
/** Longer than what has ended stays in memory. */
const SETTLE_MS = 8_000;
const SAMPLES = 50;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

interface Memory {
  readonly heapMb: number;
  readonly rssMb: number;
}

/** A node that was deleted, as it was listed before. */
interface Seen {
  readonly id: string;
  readonly name: string;
  readonly at: string;
}

async function memory(): Promise<Memory> {
  await delay(SETTLE_MS);
  for (let i = 0; i < 3; i += 1) collectGarbage();
  const { heapUsed, rss } = process.memoryUsage();
  return { heapMb: heapUsed / 2 ** 20, rssMb: rss / 2 ** 20 };
}

async function build({ api }: EmbeddedProduct, name: string, count: number): Promise<string> {
  const nodeGroups = [{ name: 'workers', role: 'worker', count, flavor: { cpus: 1, memoryMb: 512 } }];
  const { id, operationId = '' } = await api.post<Resource>('/v1/clusters', { name, driver: 'fake', nodeGroups });
  mustBe((await api.finished(operationId)).status === 'SUCCEEDED', `${name} was built`);
  return id;
}

/** Builds a cluster, remembers one of its nodes, and deletes the cluster. */
async function oneRound(product: EmbeddedProduct, name: string, count: number): Promise<Seen> {
  const { api } = product;
  const id = await build(product, name, count);
  const [node] = await api.list<NodeResource>(`/v1/nodes?clusterId=${id}&limit=1`);
  const at = new Date().toISOString();
  const { operationId = '' } = await api.delete<Resource>(`/v1/clusters/${id}`);
  mustBe((await api.finished(operationId)).status === 'SUCCEEDED', `${name} was deleted`);
  if (!node) throw new Error(`${name} has no nodes`);
  return { id: node.id, name: node.name, at };
}

async function total(api: ApiClient): Promise<number> {
  return (await api.get<{ readonly total: number }>('/v1/nodes?limit=1&total=true')).total;
}

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

/** Returns the milliseconds that reads of deleted nodes in the past take, sorted. Each must be shown as it was, and be gone now. */
async function readPast(api: ApiClient, seen: readonly Seen[]): Promise<readonly number[]> {
  const taken: number[] = [];
  for (let i = 0; i < SAMPLES; i += 1) {
    const of = seen[Math.floor((i * seen.length) / SAMPLES)];
    if (!of) continue;
    const started = performance.now();
    const { name, status } = await api.get<NodeResource>(`/v1/nodes/${of.id}?at=${of.at}`);
    taken.push(performance.now() - started);
    mustBe(name === of.name && status === 'ACTIVE', `${of.name} is shown as it was`);
    const now = await api.get(`/v1/nodes/${of.id}`).then(
      () => 'there',
      (error: unknown) => String(error),
    );
    mustBe(now.includes(': 404 '), `${of.name} is gone: ${now}`);
  }
  return taken.sort((a, b) => a - b);
}

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
    mustBe((await total(new ApiClient(`http://127.0.0.1:${port}`, key))) === alive, 'the living nodes are there');
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
    await build(product, 'living', alive);
    await product.close();
    return { seconds: await start(product), snapshot: await snapshotMb(product) };
  } finally {
    await product.remove();
  }
}

async function churn(product: EmbeddedProduct): Promise<{ readonly seen: readonly Seen[]; readonly after: Memory[] }> {
  const seen: Seen[] = [];
  const after: Memory[] = [];
  const rounds = Math.ceil(nodes / round);
  for (let i = 1; i <= rounds; i += 1) {
    seen.push(await oneRound(product, `round-${i}`, round));
    if (Math.floor((i * TENTHS) / rounds) === after.length) continue;
    after.push(await memory());
    const { heapMb = 0, rssMb = 0 } = after.at(-1) ?? {};
    process.stderr.write(`${i * round} nodes: heap ${heapMb.toFixed(0)} MB, resident ${rssMb.toFixed(0)} MB\n`);
  }
  return { seen, after };
}

run(async () => {
  const bare = await livingAlone();
  const product = await startEmbedded();
  try {
    await build(product, 'living', alive);
    const before = await memory();
    const started = performance.now();
    const { seen, after } = await churn(product);
    const minutes = (performance.now() - started) / 60_000;
    mustBe((await total(product.api)) === alive, 'the living nodes are there');
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
});
