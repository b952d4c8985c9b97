import { isDeepStrictEqual } from 'node:util';
import { startOpenStack } from '@stave/testing';
import { HeatProduct } from '../openstack/heat-product.js';
import { mustBe, report, run } from './bench-report.js';
import { usageOf } from './cpu-seconds.js';
import { HeatByHand } from './heat-by-hand.js';

const NODES = 10;
const flavor = { name: 'm1.nano' };

interface Times {
  readonly create: number;
  readonly remove: number;
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return (performance.now() - begin) / 1000;
}

async function throughProduct(product: HeatProduct): Promise<Times> {
  let id = '';
  const create = await seconds(async () => {
    const nodeGroups = [
      { name: 'm', role: 'manager', count: 1, flavor },
      { name: 'w', role: 'worker', count: NODES - 1, flavor },
    ];
    ({ id } = await product.create({ driver: 'swarm_fedora', nodeGroups }));
  });
  mustBe((await product.servers()).length === NODES, `${NODES} servers`);
  const remove = await seconds(() => product.succeed('delete', `/v1/clusters/${id}`));
  return { create, remove };
}

async function byHand(hand: HeatByHand, product: HeatProduct): Promise<Times> {
  const create = await seconds(() => hand.create(NODES));
  mustBe((await product.servers()).length === NODES, `${NODES} servers`);
  return { create, remove: await seconds(() => hand.remove()) };
}

const meanOf = (runs: readonly Times[], part: keyof Times): number =>
  runs.reduce((sum, times) => sum + times[part], 0) / runs.length;

/**
 * `npm run bench -- heat` builds and deletes a cluster of ten nodes on a real OpenStack, through the product in separate processes. Baseline: the
 * same stacks, made by requests to Heat alone, all nodes at once. Needs root and Debian's packages; OSRIG_STATE names an OpenStack that runs.
 */
run(async () => {
  const cloud = await startOpenStack();
  try {
    await cloud.playNodes();
    const product = await HeatProduct.start(cloud, 'other');
    try {
      const hand = new HeatByHand(await cloud.environment('other'));
      const before = await product.content.inventory();
      const baseline = [await byHand(hand, product)];
      const pids = [...product.stack.processes.values()].flatMap(({ pid }) => pid ?? []);
      const used = await usageOf(pids);
      const own = [await throughProduct(product), await throughProduct(product)];
      const cpu = ((await usageOf(pids)).cpuSeconds - used.cpuSeconds) / own.length / NODES;
      baseline.push(await byHand(hand, product));
      mustBe(isDeepStrictEqual(await product.content.inventory(), before), 'nothing is left');
      report(
        'heat',
        'distributed: NATS, embedded event store over gRPC, OpenStack with fake computes',
        { nodes: NODES },
        [
          { figure: 'create', value: meanOf(own, 'create'), unit: 's', baseline: meanOf(baseline, 'create') },
          { figure: 'delete', value: meanOf(own, 'remove'), unit: 's', baseline: meanOf(baseline, 'remove') },
          { figure: 'CPU of all processes of Stave', value: cpu, unit: 's per node' },
        ],
      );
    } finally {
      await product.close();
    }
  } finally {
    await cloud.stop();
  }
});
