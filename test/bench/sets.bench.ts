import 'reflect-metadata';
import { setTimeout as delay } from 'node:timers/promises';
import type { Resource } from '../demo/api-client.js';
import { numberOption } from './bench-options.js';
import { mustBe, report, run } from './bench-report.js';
import { startProduct, type Product } from './distributed-product.js';

/**
 * `npm run bench -- sets [--sets 200] [--members 50] [--nodes 100] [distributed]` creates container sets on one cluster of fake nodes without
 * latency, rolls all of them to other contents, and deletes them. The CPU of the last tenth of the sets against that of the second shows
 * whether a container costs the same however many there are.
 */
const args = process.argv.slice(2);
const sets = numberOption(args, '--sets', 200);
const members = numberOption(args, '--members', 50);
const nodes = numberOption(args, '--nodes', 100);
const TENTHS = 10;
const AT_ONCE = 4;
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

async function succeed({ api }: Product, request: Promise<Resource>): Promise<Resource> {
  const accepted = await request;
  const { status } = await api.finished(accepted.operationId ?? '', undefined, WAIT_MS);
  mustBe(status === 'SUCCEEDED', `the operation ended ${status}`);
  return accepted;
}

/** Calls `each` for the sets of every tenth, a few at a time. Returns the cost of each tenth. */
async function byTenths(product: Product, each: (set: number) => Promise<void>): Promise<readonly Measured[]> {
  const costs: Measured[] = [];
  const perTenth = Math.ceil(sets / TENTHS);
  for (let first = 0; first < sets; first += perTenth) {
    const last = Math.min(sets, first + perTenth);
    let next = first;
    const worker = async (): Promise<void> => {
      while (next < last) await each(next++);
    };
    costs.push(await measure(product, async () => void (await Promise.all(Array.from({ length: AT_ONCE }, worker)))));
    await delay(0);
  }
  return costs;
}

const sum = (costs: readonly Measured[], of: keyof Measured): number => costs.reduce((all, cost) => all + cost[of], 0);
const count = sets * members;
const cpuMs = (costs: readonly Measured[]): number => (sum(costs, 'cpuSeconds') / count) * 1000;

function figures(what: string, costs: readonly Measured[]) {
  // the first tenth includes the time until the code is compiled
  const [, second, ...later] = costs;
  const ratio = (later.at(-1)?.cpuSeconds ?? 0) / (second?.cpuSeconds ?? 1);
  return [
    { figure: `${what}: containers per second`, value: count / sum(costs, 'seconds'), unit: '1/s' },
    { figure: `${what}: CPU per container`, value: cpuMs(costs), unit: 'ms' },
    { figure: `${what}: CPU of the last tenth / the second`, value: ratio, unit: '', target: '<= 1.3' },
  ];
}

run(async () => {
  const product = await startProduct(args);
  try {
    const perNode = Math.ceil((count * 1.1) / nodes) + members;
    const flavor = { cpus: perNode, memoryMb: 64 * perNode + 1_024 };
    const nodeGroups = [{ name: 'workers', role: 'worker', count: nodes, flavor, zones: ['a', 'b', 'c'] }];
    const { api } = product;
    const { id } = await succeed(product, api.post('/v1/clusters', { name: 'bench', driver: 'fake', nodeGroups }));
    const contents = { image: 'web:1', hostCluster: id, resources: { cpus: 0.5, memoryMb: 64 } };
    await api.post<Resource>('/v1/container-profiles', { name: 'web', ...contents });
    const updateStrategy = { maxSurge: '50%', maxUnavailable: '25%' };
    const made = await byTenths(product, async i => {
      const body = { name: `set-${i}`, profile: 'web', desired: members, updateStrategy };
      await succeed(product, api.post('/v1/container-sets', body));
    });
    const rolled = await byTenths(product, async i => {
      await succeed(product, api.patch(`/v1/container-sets/set-${i}`, { overrides: { image: 'web:2' } }));
    });
    const deleted = await byTenths(product, async i => {
      await succeed(product, api.delete(`/v1/container-sets/set-${i}`));
    });
    const left = await api.get<{ readonly total: number }>('/v1/containers?limit=1&total=true');
    mustBe(left.total === 0, 'no container is left');
    report('sets', product.adapters, { sets, members, nodes }, [
      ...figures('created', made),
      ...figures('rolled', rolled),
      ...figures('deleted', deleted),
    ]);
  } finally {
    await product.close();
    await product.remove();
  }
});
