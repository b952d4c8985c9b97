import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClusterSpec, Driver, DriverContext, NodeSpec } from '@stave/driver-sdk';
import swarmDocker, { EngineClient } from '@stave/driver-swarm-docker';

/**
 * `npm run bench -- docker`: 20 nodes in one Swarm through the driver, four at a time. Yardstick of the same run: the same nodes by
 * hand, with nothing but the Docker API's calls for container, start, join and labels, four at a time as well.
 */
const nodeCount = 20;
const atATime = 4;
const image = 'stave/swarm-node:1';
const megabyte = 2 ** 20;
const flavor = { name: 'bench', cpus: 0.5, memoryMb: 256 };

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const ctx: DriverContext = {
  signal: new AbortController().signal,
  log: silent,
  now: () => performance.now(),
  secrets: { get: async () => undefined, put: async () => undefined, delete: async () => undefined },
  progress: () => undefined,
  task: { taskId: 'bench', attempt: 1, generation: 1 },
  checkpoint: () => undefined,
};
const socket = (process.env['DOCKER_HOST'] ?? 'unix:///var/run/docker.sock').replace(/^unix:\/\//, '');
const host = new EngineClient(socket);

async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: atATime }, worker));
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

interface Member {
  readonly ID: string;
  readonly Version: { readonly Index: number };
  readonly Spec: object;
  readonly Status: { readonly State: string };
}

async function checkReady(manager: EngineClient): Promise<void> {
  const members = await manager.read<Member[]>(ctx, '/nodes');
  const ready = members.filter(member => member.Status.State === 'ready').length;
  if (ready !== nodeCount) throw new Error(`${ready} of ${nodeCount} nodes are ready in the Swarm`);
}

// --- through the driver

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

// --- by hand

interface ByHand {
  readonly id: string;
  readonly engine: EngineClient;
}

async function startByHand(directory: string, index: number): Promise<ByHand> {
  const name = `stave-bench-hand-${index}`;
  const memory = flavor.memoryMb * megabyte;
  const body = {
    Image: image,
    HostConfig: {
      CapAdd: ['ALL'],
      CapDrop: ['SYS_RESOURCE'],
      SecurityOpt: ['seccomp=unconfined', 'apparmor=unconfined'],
      MaskedPaths: [],
      ReadonlyPaths: [],
      DeviceCgroupRules: ['a *:* rwm'],
      CgroupnsMode: 'private',
      NetworkMode: 'stave-bench-hand',
      NanoCpus: flavor.cpus * 1e9,
      Memory: memory,
      MemorySwap: memory,
      Tmpfs: { '/run': 'exec', '/tmp': '' },
      Binds: [`${join(directory, String(index))}:/stave`],
      Mounts: [{ Type: 'volume', Target: '/var/lib/docker' }],
    },
    NetworkingConfig: { EndpointsConfig: { 'stave-bench-hand': { IPAMConfig: { IPv4Address: addressOf(index) } } } },
  };
  const { Id } = await host.change<{ Id: string }>(ctx, 'POST', '/containers/create', { query: { name }, body });
  await host.change(ctx, 'POST', `/containers/${Id}/start`);
  const engine = new EngineClient(join(directory, String(index), 'd.sock'));
  await answers(engine);
  return { id: Id, engine };
}

const addressOf = (index: number): string => `10.95.252.${index + 2}`;

async function answers(engine: EngineClient): Promise<void> {
  const end = performance.now() + 60_000;
  for (;;) {
    try {
      return await engine.read(ctx, '/_ping');
    } catch (error) {
      if (performance.now() > end) throw error;
      await delay(25);
    }
  }
}

async function label(manager: EngineClient, engine: EngineClient): Promise<void> {
  const info = await engine.read<{ Swarm: { NodeID: string } }>(ctx, '/info');
  for (let attempt = 1; ; attempt += 1) {
    const { Version, Spec } = await manager.read<Member>(ctx, `/nodes/${info.Swarm.NodeID}`);
    const body = { ...Spec, Labels: { zone: 'a' } };
    try {
      return await manager.change(ctx, 'POST', `/nodes/${info.Swarm.NodeID}/update`, {
        query: { version: Version.Index },
        body,
      });
    } catch (error) {
      if (attempt > 5 || !String(error).includes('out of sequence')) throw error;
    }
  }
}

async function byHand(): Promise<{ create: number; remove: number }> {
  const directory = await mkdtemp(join(tmpdir(), 'bench-'));
  const made: ByHand[] = [];
  try {
    const create = await seconds(async () => {
      const IPAM = { Config: [{ Subnet: '10.95.252.0/24' }] };
      await host.change(ctx, 'POST', '/networks/create', { body: { Name: 'stave-bench-hand', IPAM } });
      const first = await startByHand(directory, 0);
      made.push(first);
      const listen = {
        ListenAddr: '0.0.0.0:2377',
        Spec: { Dispatcher: { HeartbeatPeriod: 1e9 }, CAConfig: {}, Raft: {} },
      };
      await first.engine.change(ctx, 'POST', '/swarm/init', { body: { ...listen, AdvertiseAddr: addressOf(0) } });
      const swarm = await first.engine.read<{ JoinTokens: { Worker: string } }>(ctx, '/swarm');
      const rest = Array.from({ length: nodeCount - 1 }, (_, index) => index + 1);
      await inTurns(rest, async index => {
        const node = await startByHand(directory, index);
        made.push(node);
        const RemoteAddrs = [`${addressOf(0)}:2377`];
        const join = {
          ListenAddr: '0.0.0.0:2377',
          AdvertiseAddr: addressOf(index),
          RemoteAddrs,
          JoinToken: swarm.JoinTokens.Worker,
        };
        await node.engine.change(ctx, 'POST', '/swarm/join', { body: join });
        await label(first.engine, node.engine);
      });
      for (let tries = 0; tries < 100; tries += 1) {
        const ready = await checkReady(first.engine).then(
          () => true,
          () => false,
        );
        if (ready) break;
        await delay(50);
      }
      await checkReady(first.engine);
    });
    const remove = await seconds(async () => removeByHand(made.splice(0)));
    return { create, remove };
  } finally {
    await removeByHand(made);
    await rm(directory, { recursive: true, force: true });
  }
}

async function removeByHand(nodes: readonly ByHand[]): Promise<void> {
  if (nodes.length === 0) return;
  const query = { force: true, v: true };
  await inTurns(nodes, ({ id }) => host.change(ctx, 'DELETE', `/containers/${id}`, { query, timeoutMs: 60_000 }));
  await host.change(ctx, 'DELETE', '/networks/stave-bench-hand');
}

async function main(): Promise<void> {
  const runDir = await mkdtemp(join(tmpdir(), 'bench-'));
  const env = { ...process.env, SWARM_DOCKER_RUN_DIR: runDir };
  const driver = await swarmDocker.open({ installation: `bench-${process.pid}`, dataDir: runDir, env, log: silent });
  try {
    await throughDriver(driver); // builds the image and fills the page cache for both
    const hand = [await byHand()];
    const own = [await throughDriver(driver)];
    own.push(await throughDriver(driver));
    hand.push(await byHand());
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
    const [driver, yardstick] = [mean(own, part), mean(hand, part)];
    return { part, driver: round(driver), byHand: round(yardstick), ratio: round(driver / yardstick) };
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
