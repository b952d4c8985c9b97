import 'reflect-metadata';
import { setTimeout as delay } from 'node:timers/promises';
import type { NodeResource, Resource } from '../demo/api-client.js';
import { numberOption } from './bench-options.js';
import { mustBe, report, run, type Figure } from './bench-report.js';
import { startProduct, type Product } from './distributed-product.js';
import { fleetAtSize } from './fleet-at-size.js';
import { rawAppendsPerSecond } from './raw-appends.js';

/**
 * `npm run bench -- fleet [nodes] [distributed]` measures one cluster of fake nodes without latency, from POST until
 * all are ACTIVE, in this process or with `distributed` in separate ones. Baseline: raw appends of the same number of
 * events. `npm run bench -- fleet --clusters 10000 --nodes 10` measures many clusters; see `fleet-at-size.ts`.
 */
/** Longer than the resync interval of every service. */
const idleMs = 20_000;
const settleMs = 5_000;
const args = process.argv.slice(2);
const distributed = args.includes('distributed');
const clusters = numberOption(args, '--clusters', 0);
const nodes = Number(args.find(arg => /^\d+$/.test(arg)) ?? 1_000);

interface Measured {
  readonly id: string;
  readonly seconds: number;
  readonly cpuMs: number;
}

/** Sends a request and measures until its operation has succeeded. */
async function measure({ api, usage }: Product, request: () => Promise<Resource>): Promise<Measured> {
  const cpu = (await usage()).cpuSeconds;
  const started = performance.now();
  const { id, operationId = '' } = await request();
  const { status } = await api.finished(operationId, undefined, 600_000);
  const seconds = (performance.now() - started) / 1000;
  const cpuMs = ((await usage()).cpuSeconds - cpu) * 1000;
  mustBe(status === 'SUCCEEDED', `the operation ended ${status}`);
  return { id, seconds, cpuMs };
}

async function build(product: Product, name: string, count: number): Promise<Measured> {
  const flavor = { cpus: 1, memoryMb: 512 };
  const nodeGroups = [{ name: 'workers', role: 'worker', count, flavor, zones: ['a', 'b', 'c'] }];
  const built = await measure(product, () => product.api.post('/v1/clusters', { name, driver: 'fake', nodeGroups }));
  await mustAllBeActive(product, built.id, count);
  return built;
}

async function remove(product: Product, id: string): Promise<Measured> {
  const removed = await measure(product, () => product.api.delete(`/v1/clusters/${id}`));
  mustBe((await product.api.list(`/v1/nodes?clusterId=${id}`)).length === 0, 'no node is left');
  return removed;
}

async function mustAllBeActive({ api }: Product, clusterId: string, count: number): Promise<void> {
  const ids = new Set<string>();
  let cursor: string | null = '';
  while (cursor !== null) {
    const after: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const path = `/v1/nodes?clusterId=${clusterId}&limit=500${after}`;
    const page: { items: NodeResource[]; nextCursor: string | null } = await api.get(path);
    for (const node of page.items) {
      mustBe(node.status === 'ACTIVE', `${node.name} is ${node.status}`);
      ids.add(node.id);
    }
    cursor = page.nextCursor;
  }
  mustBe(ids.size === count, `${ids.size} of ${count} nodes are there`);
}

async function atSize(): Promise<void> {
  const product = await startProduct(args);
  try {
    await fleetAtSize(product, clusters, numberOption(args, '--nodes', 10));
  } finally {
    await product.close();
    await product.remove();
  }
}

async function oneCluster(): Promise<void> {
  const appends = await rawAppendsPerSecond();
  const product = await startProduct(args);
  try {
    const cold = await build(product, 'cold', nodes);
    const warm = await build(product, 'warm', nodes);
    await delay(settleMs);
    const idle = (await product.usage()).cpuSeconds;
    await delay(idleMs);
    const idleSeconds = (await product.usage()).cpuSeconds - idle;
    const removed = await remove(product, warm.id);
    const target = nodes === 1_000 ? { target: distributed ? '<= 8 s' : '<= 3 s' } : {};
    const cpuTarget = distributed ? '<= 8 ms' : '<= 3 ms';
    const cpuFigures: Figure[] = [
      { figure: 'CPU per node, fresh process', value: cold.cpuMs / nodes, unit: 'ms', target: cpuTarget },
      { figure: 'CPU per node, second cluster', value: warm.cpuMs / nodes, unit: 'ms', target: cpuTarget },
      { figure: 'CPU per node, deletion', value: removed.cpuMs / nodes, unit: 'ms' },
      { figure: 'CPU while idle', value: (idleSeconds / idleMs) * 100_000, unit: '% of a core', target: '<= 5 %' },
    ];
    report('fleet', product.adapters, { nodes, rawAppendsPerSecond: Math.round(appends) }, [
      { figure: 'POST to all ACTIVE, fresh process', value: cold.seconds, unit: 's', ...target },
      { figure: 'POST to all ACTIVE, second cluster', value: warm.seconds, unit: 's', ...target },
      { figure: 'nodes per second, second cluster', value: nodes / warm.seconds, unit: '1/s', baseline: appends },
      { figure: 'DELETE to all gone, second cluster', value: removed.seconds, unit: 's' },
      ...cpuFigures,
    ]);
  } finally {
    await product.close();
    await product.remove();
  }
}

run(clusters > 0 ? atSize : oneCluster);
