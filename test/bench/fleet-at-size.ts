import { setInterval, setTimeout as delay } from 'node:timers/promises';
import type { Resource } from '../demo/api-client.js';
import { mustBe, report, type Figure } from './bench-report.js';
import type { Product } from './distributed-product.js';
import { rawAppendsPerSecond } from './raw-appends.js';

/** The number of concurrent creations. */
const IN_FLIGHT = 32;
const TENTHS = 10;
/** Longer than the resync interval of every service. */
const SETTLE_MS = 20_000;
/** Long enough for several health checks, which run every 40 s at this size. */
const IDLE_PARTS = 12;
const IDLE_PART_MS = 10_000;
const MEMORY_SAMPLE_MS = 500;

interface Built {
  /** The seconds from the start until each tenth of the clusters is complete. */
  readonly ends: readonly number[];
  readonly cpuSeconds: readonly number[];
}

export async function buildClusters({ api, usage }: Product, clusters: number, nodes: number): Promise<Built> {
  const nodeGroups = [
    { name: 'workers', role: 'worker', count: nodes, flavor: { cpus: 1, memoryMb: 512 }, zones: ['a', 'b', 'c'] },
  ];
  const started = performance.now();
  const [ends, cpu]: [number[], number[]] = [[], []];
  let [next, done] = [0, 0];
  const oneAfterAnother = async (): Promise<void> => {
    while (next < clusters) {
      const name = `fleet-${(next += 1)}`;
      const body = { name, driver: 'fake', labels: { tier: `t${next % 10}` }, nodeGroups };
      const { operationId = '' } = await api.post<Resource>('/v1/clusters', body);
      const { status } = await api.finished(operationId);
      mustBe(status === 'SUCCEEDED', `the operation of ${name} ended ${status}`);
      done += 1;
      if (done % Math.ceil(clusters / TENTHS) === 0 || done === clusters) {
        ends.push((performance.now() - started) / 1000);
        const used = await usage();
        cpu.push(used.cpuSeconds);
        const mb = (used.residentBytes / 2 ** 20).toFixed(0);
        process.stderr.write(`${done} clusters after ${ends.at(-1)?.toFixed(1)} s, ${mb} MB\n`);
      }
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, oneAfterAnother));
  return { ends, cpuSeconds: cpu };
}

/** Checks the totals of the lists and counts their items. */
async function mustBeThere({ api }: Product, clusters: number, nodes: number): Promise<void> {
  interface Page<T> {
    readonly items: readonly T[];
    readonly nextCursor: string | null;
    readonly total?: number;
  }
  const total = async (path: string): Promise<number> => (await api.get<Page<Resource>>(path)).total ?? -1;
  mustBe((await total('/v1/nodes?status=ACTIVE&total=true&limit=1')) === clusters * nodes, 'every node is ACTIVE');
  mustBe((await total('/v1/clusters?health=HEALTHY&total=true&limit=1')) === clusters, 'every cluster is HEALTHY');
  const ids = new Set<string>();
  for (let cursor: string | null = ''; cursor !== null;) {
    const after: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page: Page<Resource> = await api.get(`/v1/nodes?limit=500&fields=id${after}`);
    for (const { id } of page.items) ids.add(id);
    cursor = page.nextCursor;
  }
  mustBe(ids.size === clusters * nodes, `${ids.size} of ${clusters * nodes} nodes are listed`);
}

/** Records the highest resident memory until `stop`. */
function watchMemory({ usage }: Product): { stop(): Promise<number> } {
  let highest = 0;
  const ended = new AbortController();
  const watch = async (): Promise<void> => {
    for await (const _ of setInterval(MEMORY_SAMPLE_MS, undefined, { signal: ended.signal }))
      highest = Math.max(highest, (await usage()).residentBytes);
  };
  const watched = watch().catch((error: unknown) => {
    if (!ended.signal.aborted) throw error;
  });
  return {
    stop: async () => {
      ended.abort();
      await watched;
      return Math.max(highest, (await usage()).residentBytes);
    },
  };
}

/** Returns the CPU use of each part of an idle time, in percent of a core. */
async function idleShares({ usage }: Product): Promise<readonly number[]> {
  const shares: number[] = [];
  let { cpuSeconds: before } = await usage();
  for (let part = 0; part < IDLE_PARTS; part += 1) {
    await delay(IDLE_PART_MS);
    const { cpuSeconds: now } = await usage();
    shares.push(((now - before) / IDLE_PART_MS) * 100_000);
    before = now;
  }
  return shares;
}

/**
 * Measures the creation of `clusters` clusters with `nodes` nodes each, and the CPU and memory use of
 * the idle product (`--clusters c --nodes n`).
 */
export async function fleetAtSize(product: Product, clusters: number, nodes: number): Promise<void> {
  const appends = await rawAppendsPerSecond();
  const memory = watchMemory(product);
  const began = (await product.usage()).cpuSeconds;
  const { ends, cpuSeconds: cpu } = await buildClusters(product, clusters, nodes);
  const seconds = ends.at(-1) ?? 0;
  const all = clusters * nodes;
  const perNode = (tenth: number): number => (((ends[tenth] ?? 0) - (ends[tenth - 1] ?? 0)) / (all / TENTHS)) * 1000;
  const cpuPerNode = (tenth: number): number =>
    (((cpu[tenth] ?? 0) - (cpu[tenth - 1] ?? began)) / (all / TENTHS)) * 1000;
  await mustBeThere(product, clusters, nodes);
  await delay(SETTLE_MS);
  const idle = await idleShares(product);
  const last = TENTHS - 1;
  const ofCore = { unit: '% of a core', target: '<= 2 %' };
  const tenths: Figure[] = [
    { figure: 'time per node, first tenth', value: perNode(0), unit: 'ms' },
    { figure: 'time per node, last tenth', value: perNode(last), unit: 'ms' },
    { figure: 'last tenth / first tenth', value: perNode(last) / perNode(0), unit: '', target: '<= 1.3' },
    { figure: 'CPU per node, first tenth', value: cpuPerNode(0), unit: 'ms' },
    { figure: 'CPU per node, last tenth', value: cpuPerNode(last), unit: 'ms' },
  ];
  const figures: Figure[] = [
    { figure: 'POST of the first to all ACTIVE', value: seconds / 60, unit: 'min', target: '<= 1.3 min' },
    { figure: 'nodes per second', value: all / seconds, unit: '1/s', baseline: appends },
    { figure: 'CPU per node', value: (((cpu.at(-1) ?? 0) - began) / all) * 1000, unit: 'ms', target: '<= 8 ms' },
    ...(clusters % TENTHS === 0 ? tenths : []),
    { figure: 'resident memory, highest', value: (await memory.stop()) / 2 ** 30, unit: 'GB', target: '<= 1.2 GB' },
    { figure: 'CPU while idle', value: idle.reduce((sum, share) => sum + share) / idle.length, ...ofCore },
    { figure: 'CPU while idle, highest of 10 s', value: Math.max(...idle), ...ofCore },
  ];
  report('fleet --clusters', product.adapters, { clusters, nodes, rawAppendsPerSecond: Math.round(appends) }, figures);
}
