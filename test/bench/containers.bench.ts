import 'reflect-metadata';
import { setTimeout as delay } from 'node:timers/promises';
import type { Resource } from '../demo/api-client.js';
import { numberOption } from './bench-options.js';
import { mustBe, report, run } from './bench-report.js';
import { startProduct, type Product } from './distributed-product.js';

/**
 * `npm run bench -- containers [--containers 8000] [--nodes 100] [distributed]` places and starts containers on one cluster of fake nodes
 * without latency, then deletes the cluster with all of them. Baseline of the deletion: their creation.
 */
const args = process.argv.slice(2);
const count = numberOption(args, '--containers', 8_000);
const nodes = numberOption(args, '--nodes', 100);
const CONNECTIONS = 32;
const WAIT_MS = 600_000;

interface Measured {
  readonly seconds: number;
  readonly cpuSeconds: number;
}

async function measure({ usage }: Product, work: () => Promise<void>): Promise<Measured> {
  const cpu = (await usage()).cpuSeconds;
  const started = performance.now();
  await work();
  const seconds = (performance.now() - started) / 1000;
  return { seconds, cpuSeconds: (await usage()).cpuSeconds - cpu };
}

/** Requests a change and waits until its operation has succeeded. */
async function succeed({ api }: Product, request: Promise<Resource>): Promise<Resource> {
  const accepted = await request;
  const { status } = await api.finished(accepted.operationId ?? '', undefined, WAIT_MS);
  mustBe(status === 'SUCCEEDED', `the operation ended ${status}`);
  return accepted;
}

const totalOf = async ({ api }: Product, query: string): Promise<number> =>
  (await api.get<{ readonly total: number }>(`/v1/containers?${query}&limit=1&total=true`)).total;

/** Creates the containers over several connections and waits until all of them run. */
async function createAll(product: Product, cluster: string, profile: string): Promise<void> {
  let next = 0;
  const connection = async (): Promise<void> => {
    while (next < count) await product.api.post('/v1/containers', { name: `c${next++}`, profile, cluster });
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  const until = performance.now() + WAIT_MS;
  while ((await totalOf(product, `clusterId=${cluster}&status=ACTIVE`)) < count) {
    mustBe(performance.now() < until, 'all containers run');
    await delay(50);
  }
}

run(async () => {
  const product = await startProduct(args);
  try {
    const perNode = Math.ceil(count / nodes);
    const flavor = { cpus: perNode, memoryMb: 64 * perNode + 1_024 };
    const nodeGroups = [{ name: 'workers', role: 'worker', count: nodes, flavor, zones: ['a', 'b', 'c'] }];
    const { id } = await succeed(
      product,
      product.api.post('/v1/clusters', { name: 'bench', driver: 'fake', nodeGroups }),
    );
    const resources = { cpus: 0.5, memoryMb: 64 };
    const profile = await product.api.post<Resource>('/v1/container-profiles', {
      name: 'web',
      image: 'web:1',
      hostCluster: id,
      resources,
    });
    const created = await measure(product, () => createAll(product, id, profile.id));
    const deleted = await measure(
      product,
      async () => void (await succeed(product, product.api.delete(`/v1/clusters/${id}`))),
    );
    mustBe((await totalOf(product, `clusterId=${id}`)) === 0, 'no container is left');
    report('containers', product.adapters, { containers: count, nodes }, [
      { figure: 'POST to all ACTIVE', value: created.seconds, unit: 's' },
      { figure: 'containers per second', value: count / created.seconds, unit: '1/s' },
      { figure: 'CPU per container, creation', value: (created.cpuSeconds / count) * 1000, unit: 'ms' },
      {
        figure: 'DELETE of the cluster to all gone',
        value: deleted.seconds,
        unit: 's',
        target: '<= 1.5 x creation',
        baseline: created.seconds,
      },
      { figure: 'CPU per container, deletion', value: (deleted.cpuSeconds / count) * 1000, unit: 'ms' },
    ]);
  } finally {
    await product.close();
    await product.remove();
  }
});
