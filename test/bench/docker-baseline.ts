import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { EngineClient } from '@stave/docker';
import {
  checkReady,
  ctx,
  flavor,
  host,
  image,
  inTurns,
  megabyte,
  nodeCount,
  seconds,
  type Member,
} from './docker-bench-nodes.js';

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

/**
 * Measures the baseline in seconds: the same nodes with only the Docker API calls to create, start, join and label
 * them.
 */
export async function measureDockerApi(): Promise<{ create: number; remove: number }> {
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
