import 'reflect-metadata';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Resource } from '../demo/api-client.js';
import { mustBe, report, run } from './bench-report.js';
import { startProduct } from './distributed-product.js';
import type { Seen, Writes } from './visible.process.js';

/**
 * `npm run bench -- visible [distributed]` sends 200 writes a second for 15 s, half of them new container profiles, half changes of clusters, and
 * measures when a list shows each of them. Baseline: the list reads themselves, at 5 writes a second.
 */
const PER_SECOND = 200;
const SECONDS = 15;
const CLUSTERS = 100;
const args = process.argv.slice(2);
const target = args.includes('distributed') ? '<= 25 ms' : '<= 100 ms';

async function client(writes: Writes): Promise<Seen> {
  const child = fork(join(__dirname, 'visible.process.js'));
  child.send(writes);
  const [seen]: [Seen] = (await once(child, 'message')) as [Seen];
  child.kill();
  return seen;
}

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

run(async () => {
  const product = await startProduct(args);
  try {
    const { api, key, url, adapters } = product;
    const clusters: { id: string; name: string }[] = [];
    for (let i = 0; i < CLUSTERS; i += 1) {
      const name = `c${i}`;
      const { id, operationId = '' } = await api.post<Resource>('/v1/clusters', { name, driver: 'fake' });
      mustBe((await api.finished(operationId)).status === 'SUCCEEDED', `cluster ${name}`);
      clusters.push({ id, name });
    }
    const writes = { url, key, clusters };
    await client({ ...writes, perSecond: PER_SECOND, seconds: 2 }); // warms the product up
    const calm = await client({ ...writes, perSecond: 5, seconds: 4 });
    const seen = await client({ ...writes, perSecond: PER_SECOND, seconds: SECONDS });
    mustBe(seen.visible.length === PER_SECOND * SECONDS, `${seen.visible.length} writes were seen`);
    mustBe(seen.perSecond > PER_SECOND * 0.95, `${seen.perSecond} writes/s`);
    report('visible', adapters, { writes: seen.visible.length, perSecond: seen.perSecond }, [
      {
        figure: 'accepted until in a list, p50',
        value: at(seen.visible, 0.5),
        unit: 'ms',
        baseline: at(calm.reads, 0.5),
      },
      {
        figure: 'p99',
        value: at(seen.visible, 0.99),
        unit: 'ms',
        target,
        baseline: at(calm.reads, 0.99),
      },
      { figure: 'longest', value: at(seen.visible, 1), unit: 'ms' },
      { figure: 'list reads meanwhile, p99', value: at(seen.reads, 0.99), unit: 'ms' },
      { figure: 'writes, p99', value: at(seen.accepted, 0.99), unit: 'ms' },
    ]);
  } finally {
    await product.close();
    await product.remove();
  }
});
