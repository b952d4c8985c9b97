import type { DriverContext } from '@stave/driver-sdk';
import { addressPools, type EngineInfo, undefinedOn } from '@stave/docker';
import { engineOf, type NodeContainer } from './inventory.js';
import type { SwarmManager } from './swarm-manager.js';
import { heartbeatPeriod } from './heartbeat.js';

const joinTimeoutMs = 30_000;
const swarmPort = 2377;

export async function swarmState(ctx: DriverContext, node: NodeContainer): Promise<EngineInfo['Swarm']> {
  return (await engineOf(node).info(ctx)).Swarm;
}

export async function initSwarm(ctx: DriverContext, node: NodeContainer, heartbeatSeconds: number): Promise<void> {
  ctx.progress('initialize the Swarm');
  const body = {
    ListenAddr: `0.0.0.0:${swarmPort}`,
    AdvertiseAddr: node.address,
    DefaultAddrPool: [addressPools.overlays],
    SubnetSize: 24,
    Spec: { Dispatcher: { HeartbeatPeriod: heartbeatPeriod(heartbeatSeconds) }, CAConfig: {}, Raft: {} },
  };
  await engineOf(node).change(ctx, 'POST', '/swarm/init', { body, timeoutMs: joinTimeoutMs });
}

/** Joins a node as a worker; `balanceQuorum` promotes managers. Fails as transient (503) while the node is in a Swarm or joins one. */
export async function joinSwarm(ctx: DriverContext, node: NodeContainer, manager: SwarmManager): Promise<void> {
  ctx.progress('join the Swarm');
  const body = {
    ListenAddr: `0.0.0.0:${swarmPort}`,
    AdvertiseAddr: node.address,
    RemoteAddrs: [`${manager.container.address}:${swarmPort}`],
    JoinToken: (await manager.tokens(ctx)).Worker,
  };
  await engineOf(node).change(ctx, 'POST', '/swarm/join', { body, timeoutMs: joinTimeoutMs });
}

/** Makes a node leave its Swarm; succeeds when it is in none. */
export async function leaveSwarm(ctx: DriverContext, node: NodeContainer): Promise<void> {
  const options = { query: { force: true }, timeoutMs: joinTimeoutMs };
  await undefinedOn([503], engineOf(node).change(ctx, 'POST', '/swarm/leave', options));
}
