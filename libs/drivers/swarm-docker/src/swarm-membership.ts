import { DriverError, type DriverContext, type NodeSpec } from '@stave/driver-sdk';
import { EngineClient } from './engine-client.js';
import { EngineError, hasStatus } from './engine-error.js';
import type { EngineInfo } from './engine-types.js';
import type { FounderClaim } from './founder-claim.js';
import type { NodeContainer } from './inventory.js';
import type { KeyedLock } from './keyed-lock.js';
import { memberLabels } from './member-labels.js';
import { SwarmManager, type SwarmManagers } from './swarm-manager.js';
import { balanceQuorum } from './swarm-quorum.js';
import { until } from './until.js';

const managerWithinMs = 60_000;
const joinTimeoutMs = 30_000;
const swarmPort = 2377;

/** Overlay networks of the Swarm; apart from the clusters' own networks and from the engine's default bridge. */
const overlayPool = '10.64.0.0/12';

/** Brings nodes into their cluster's Swarm. All of it may be repeated: what a node is already is read from its own engine. */
export class SwarmMembership {
  constructor(
    private readonly managers: SwarmManagers,
    private readonly claim: FounderClaim,
    private readonly lock: KeyedLock,
  ) {}

  /** Founds or joins, waits until the Swarm sees the node ready, and labels it there. */
  async ensure(ctx: DriverContext, spec: NodeSpec, node: NodeContainer): Promise<void> {
    const manager = await this.ensureMember(ctx, spec, node);
    const swarmNodeId = (await this.swarmState(ctx, node)).NodeID;
    ctx.progress('label node');
    const what = `node ${node.nodeId} ready in the Swarm`;
    await until({ what, withinMs: managerWithinMs, signal: ctx.signal, now: ctx.now }, async () => {
      const seen = await manager.node(ctx, swarmNodeId);
      return seen?.Status.State === 'ready' ? true : undefined;
    });
    await manager.change(ctx, swarmNodeId, current => ({ ...current, Labels: memberLabels(spec) }));
    if (spec.role === 'manager') await this.lock.run(node.clusterId, () => balanceQuorum(ctx, manager));
  }

  /** Labels and taints of a member, in place. */
  async relabel(ctx: DriverContext, spec: NodeSpec, node: NodeContainer): Promise<void> {
    const manager = await this.managers.find(ctx, node.clusterId);
    if (!manager) throw new DriverError('transient', `no manager of cluster ${node.clusterId} answers`);
    const { NodeID } = await this.swarmState(ctx, node);
    await manager.change(ctx, NodeID, current => ({ ...current, Labels: memberLabels(spec) }));
  }

  /** Keeps Swarm from giving the node new tasks. */
  async drain(ctx: DriverContext, node: NodeContainer): Promise<void> {
    const manager = await this.managers.find(ctx, node.clusterId);
    if (!manager) throw new DriverError('transient', `no manager of cluster ${node.clusterId} answers`);
    const { NodeID } = await this.swarmState(ctx, node);
    await manager.change(ctx, NodeID, current => ({ ...current, Availability: 'drain' }));
  }

  private ensureMember(ctx: DriverContext, spec: NodeSpec, node: NodeContainer): Promise<SwarmManager> {
    ctx.progress(spec.role === 'manager' ? 'find or found the Swarm' : 'wait for a manager');
    const what = `a manager of cluster ${node.clusterId} for node ${node.nodeId}`;
    return until({ what, withinMs: managerWithinMs, signal: ctx.signal, now: ctx.now, everyMs: 300 }, () =>
      this.tryMember(ctx, spec, node),
    );
  }

  /** One look at what is there and one step from it; undefined when there is nobody yet to join. */
  private async tryMember(ctx: DriverContext, spec: NodeSpec, node: NodeContainer): Promise<SwarmManager | undefined> {
    const own = await this.swarmState(ctx, node);
    if (own.ControlAvailable) return new SwarmManager(node);
    const manager = await this.managers.find(ctx, node.clusterId, node.containerId);
    if (!manager) return this.tryFound(ctx, spec, node, own.LocalNodeState);
    if (own.LocalNodeState === 'active' && (await manager.node(ctx, own.NodeID))) return manager;
    if (own.LocalNodeState !== 'inactive') await this.leave(ctx, node);
    await this.join(ctx, node, manager);
    return manager;
  }

  private async tryFound(
    ctx: DriverContext,
    spec: NodeSpec,
    node: NodeContainer,
    state: string,
  ): Promise<SwarmManager | undefined> {
    if (spec.role !== 'manager' || (await this.managers.anyInDoubt(ctx, node))) return undefined;
    if (!(await this.claim.isFounder(ctx, node))) return undefined;
    if (state !== 'inactive') await this.leave(ctx, node);
    ctx.progress('found the Swarm');
    const seconds = Number(spec.cluster.options['heartbeatSeconds'] ?? 1);
    const body = {
      ListenAddr: `0.0.0.0:${swarmPort}`,
      AdvertiseAddr: node.address,
      DefaultAddrPool: [overlayPool],
      SubnetSize: 24,
      Spec: { Dispatcher: { HeartbeatPeriod: seconds * 1e9 }, CAConfig: {}, Raft: {} },
    };
    await this.engine(node).change(ctx, 'POST', '/swarm/init', { body, timeoutMs: joinTimeoutMs });
    return new SwarmManager(node);
  }

  /** 503 says that the engine is in a Swarm already, or still at it: the next look tells. */
  private async join(ctx: DriverContext, node: NodeContainer, manager: SwarmManager): Promise<void> {
    ctx.progress('join the Swarm');
    const body = {
      ListenAddr: `0.0.0.0:${swarmPort}`,
      AdvertiseAddr: node.address,
      RemoteAddrs: [`${manager.container.address}:${swarmPort}`],
      JoinToken: await manager.joinToken(ctx),
    };
    await this.engine(node).change(ctx, 'POST', '/swarm/join', { body, timeoutMs: joinTimeoutMs });
  }

  private async leave(ctx: DriverContext, node: NodeContainer): Promise<void> {
    try {
      await this.engine(node).change(ctx, 'POST', '/swarm/leave', { query: { force: true }, timeoutMs: joinTimeoutMs });
    } catch (error) {
      if (!hasStatus(error, 503)) throw error; // in none
    }
  }

  private async swarmState(ctx: DriverContext, node: NodeContainer): Promise<EngineInfo['Swarm']> {
    return (await this.engine(node).read<EngineInfo>(ctx, '/info')).Swarm;
  }

  private engine(node: NodeContainer): EngineClient {
    if (node.socket === '') throw new EngineError('permanent', `node ${node.nodeId} has no engine socket`, 0);
    return new EngineClient(node.socket);
  }
}
