import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClusterSpec, Driver, NodeSpec } from '@stave/driver-sdk';
import { EngineClient } from '@stave/docker';
import swarmDocker from '@stave/driver-swarm-docker';
import { atATime, checkReady, ctx, flavor, inTurns, nodeCount, seconds, silent, socket } from './docker-bench-nodes.js';
import { measureDockerApi } from './docker-baseline.js';

/**
 * `npm run bench -- docker` measures 20 nodes in one Swarm through the driver, four at a time. Baseline: the same nodes
 * with only the Docker API calls to create, start, join and label them, also four at a time.
 */
function specs(): { cluster: ClusterSpec; nodes: NodeSpec[] } {
  const cluster: ClusterSpec = {
    id: 'bench',
    name: 'bench',
    projectId: 'bench',
    generation: 1,
    network: {},
    api: {},
    labels: {},
    options: {},
  };
  const nodes = Array.from({ length: nodeCount }, (_, ordinal): NodeSpec => {
    const role = ordinal === 0 ? 'manager' : 'worker';
    const common = { generation: 1, cluster, flavor, labels: {}, taints: [], options: {}, ordinal, role } as const;
    return { ...common, id: `n${ordinal}`, name: `n${ordinal}`, nodeGroup: { id: role, name: role }, zone: 'a' };
  });
  return { cluster, nodes };
}

async function throughDriver(driver: Driver): Promise<{ create: number; remove: number }> {
  const { cluster, nodes } = specs();
  const ref = (id: string) => ({ id, clusterId: cluster.id, generation: 1, options: {} });
  const create = await seconds(async () => {
    await driver.cluster.create(ctx, cluster);
    await inTurns(nodes, async spec => void (await driver.node.create(ctx, spec)));
  });
  const { endpoint = '' } = await driver.cluster.credentials(ctx, ref(cluster.id));
  await checkReady(new EngineClient(endpoint.replace(/^unix:\/\//, '')));
  const remove = await seconds(async () => {
    await inTurns([...nodes].reverse(), spec => driver.node.delete(ctx, ref(spec.id)));
    await driver.cluster.delete(ctx, ref(cluster.id));
  });
  return { create, remove };
}

async function main(): Promise<void> {
  const runDir = await mkdtemp(join(tmpdir(), 'bench-'));
  const env = { ...process.env, SWARM_DOCKER_RUN_DIR: runDir };
  const driver = await swarmDocker.open({ installation: `bench-${process.pid}`, dataDir: runDir, env, log: silent });
  try {
    await throughDriver(driver); // builds the image and fills the page cache before both measurements
    const hand = [await measureDockerApi()];
    const own = [await throughDriver(driver)];
    own.push(await throughDriver(driver));
    hand.push(await measureDockerApi());
    report(own, hand);
  } finally {
    for (const kind of ['node', 'cluster']) {
      for (const unit of await driver.list(ctx)) if (unit.kind === kind) await driver.remove(ctx, unit);
    }
    await driver.close();
    await rm(runDir, { recursive: true, force: true });
  }
}

type Run = { readonly create: number; readonly remove: number };

function report(own: readonly Run[], hand: readonly Run[]): void {
  const mean = (runs: readonly Run[], part: keyof Run) => runs.reduce((sum, run) => sum + run[part], 0) / runs.length;
  const round = (value: number) => Number(value.toFixed(2));
  const rows = (['create', 'remove'] as const).map(part => {
    const [driver, baseline] = [mean(own, part), mean(hand, part)];
    return { part, driver: round(driver), measureDockerApi: round(baseline), ratio: round(driver / baseline) };
  });
  const adapters = { driver: 'swarm_docker', engine: socket };
  const facts = { bench: 'docker', unit: 's', nodes: nodeCount, atATime, cores: cpus().length, adapters };
  process.stdout.write(`${JSON.stringify({ ...facts, results: rows, target: { create: 1.3 } })}\n`);
  console.table(rows);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
