import type { DriverContext } from '@stave/driver-sdk';
import { EngineClient } from './engine-client.js';
import { EngineError, unless } from './engine-error.js';
import type { EngineInfo } from './engine-types.js';
import type { NodeContainer } from './inventory.js';
import type { SwarmManager } from './swarm-manager.js';

const joinTimeoutMs = 30_000;
const swarmPort = 2377;

/** Overlay networks of the Swarm; apart from the clusters' own networks and from the engine's default bridge. */
const overlayPool = '10.64.0.0/12';

/** What the node's own engine says of its membership. */
export async function swarmState(ctx: DriverContext, node: NodeContainer): Promise<EngineInfo['Swarm']> {
  return (await engineOf(node).read<EngineInfo>(ctx, '/info')).Swarm;
}

export async function foundSwarm(ctx: DriverContext, node: NodeContainer, heartbeatSeconds: number): Promise<void> {
  ctx.progress('found the Swarm');
  const body = {
    ListenAddr: `0.0.0.0:${swarmPort}`,
    AdvertiseAddr: node.address,
    DefaultAddrPool: [overlayPool],
    SubnetSize: 24,
    Spec: { Dispatcher: { HeartbeatPeriod: heartbeatSeconds * 1e9 }, CAConfig: {}, Raft: {} },
  };
  await engineOf(node).change(ctx, 'POST', '/swarm/init', { body, timeoutMs: joinTimeoutMs });
}

/** As a worker; who becomes a manager is decided among those who are in. 503, a transient failure: in one, or still at it. */
export async function joinSwarm(ctx: DriverContext, node: NodeContainer, manager: SwarmManager): Promise<void> {
  ctx.progress('join the Swarm');
  const body = {
    ListenAddr: `0.0.0.0:${swarmPort}`,
    AdvertiseAddr: node.address,
    RemoteAddrs: [`${manager.container.address}:${swarmPort}`],
    JoinToken: await manager.joinToken(ctx),
  };
  await engineOf(node).change(ctx, 'POST', '/swarm/join', { body, timeoutMs: joinTimeoutMs });
}

/** Success also when it is in none. */
export async function leaveSwarm(ctx: DriverContext, node: NodeContainer): Promise<void> {
  const options = { query: { force: true }, timeoutMs: joinTimeoutMs };
  await unless([503], engineOf(node).change(ctx, 'POST', '/swarm/leave', options));
}

function engineOf(node: NodeContainer): EngineClient {
  if (node.socket === '') throw new EngineError('permanent', `node ${node.nodeId} has no engine socket`, 0);
  return new EngineClient(node.socket);
}
