import { DriverError, type DriverContext, type NodeSpec } from '@stave/driver-sdk';
import type { FounderClaim } from './founder-claim.js';
import type { Inventory, NodeContainer } from './inventory.js';
import type { KeyedLock } from './keyed-lock.js';
import { memberLabels } from './member-labels.js';
import { SwarmManager, type SwarmManagers } from './swarm-manager.js';
import { foundSwarm, joinSwarm, leaveSwarm, swarmState } from './swarm-member.js';
import type { SwarmStrays } from './swarm-strays.js';
import { balanceQuorum } from './swarm-quorum.js';
import { until, type UntilOptions } from './until.js';

const managerWithinMs = 60_000;

export interface MembershipParts {
  readonly inventory: Inventory;
  readonly managers: SwarmManagers;
  readonly claim: FounderClaim;
  readonly strays: SwarmStrays;
  readonly lock: KeyedLock;
}

/** Brings nodes into their cluster's Swarm. All of it may be repeated: what a node is already is read from its own engine. */
export class SwarmMembership {
  constructor(private readonly parts: MembershipParts) {}

  /** Founds or joins, waits until the Swarm sees the node ready, and labels it there. */
  async ensure(ctx: DriverContext, spec: NodeSpec, node: NodeContainer): Promise<void> {
    const manager = await this.ensureMember(ctx, spec, node);
    const swarmNodeId = (await swarmState(ctx, node)).NodeID;
    ctx.progress('label node');
    const what = `node ${node.nodeId} ready in the Swarm`;
    await until(this.waiting(ctx, node, what), async () => {
      const seen = await manager.node(ctx, swarmNodeId);
      return seen?.Status.State === 'ready' ? true : undefined;
    });
    await manager.change(ctx, swarmNodeId, current => ({ ...current, Labels: memberLabels(spec) }));
    if (spec.role === 'manager') await this.parts.lock.run(node.clusterId, () => balanceQuorum(ctx, manager));
  }

  /** Labels and taints of a member, in place. */
  async relabel(ctx: DriverContext, spec: NodeSpec, node: NodeContainer): Promise<void> {
    const manager = await this.parts.managers.find(ctx, node.clusterId);
    if (!manager) throw new DriverError('transient', `no manager of cluster ${node.clusterId} answers`);
    const { NodeID } = await swarmState(ctx, node);
    await manager.change(ctx, NodeID, current => ({ ...current, Labels: memberLabels(spec) }));
  }

  /** `drain`: Swarm moves its tasks away from the node and gives it no new ones. `active`: it may have some again. */
  async avail(ctx: DriverContext, node: NodeContainer, availability: 'active' | 'drain'): Promise<void> {
    const manager = await this.parts.managers.find(ctx, node.clusterId);
    if (!manager) throw new DriverError('transient', `no manager of cluster ${node.clusterId} answers`);
    const { NodeID } = await swarmState(ctx, node);
    await manager.change(ctx, NodeID, current => ({ ...current, Availability: availability }));
  }

  private ensureMember(ctx: DriverContext, spec: NodeSpec, node: NodeContainer): Promise<SwarmManager> {
    ctx.progress(spec.role === 'manager' ? 'find or found the Swarm' : 'wait for a manager');
    const what = `a manager of cluster ${node.clusterId} for node ${node.nodeId}`;
    return until({ ...this.waiting(ctx, node, what), everyMs: 300 }, () => this.tryMember(ctx, spec, node));
  }

  private waiting(ctx: DriverContext, node: NodeContainer, what: string): UntilOptions {
    const stillPossible = (): Promise<void> => this.parts.inventory.requireRunning(ctx, node);
    return { what, withinMs: managerWithinMs, signal: ctx.signal, now: ctx.now, stillPossible };
  }

  /** One look at what is there and one step from it; undefined when there is nobody yet to join. */
  private async tryMember(ctx: DriverContext, spec: NodeSpec, node: NodeContainer): Promise<SwarmManager | undefined> {
    const own = await swarmState(ctx, node);
    if (own.ControlAvailable) return new SwarmManager(node);
    const manager = await this.parts.managers.find(ctx, node.clusterId, node.containerId);
    if (!manager) return this.tryFound(ctx, spec, node, own.LocalNodeState);
    if (own.LocalNodeState === 'active' && (await manager.node(ctx, own.NodeID))) return manager;
    if (own.LocalNodeState !== 'inactive') await leaveSwarm(ctx, node);
    await joinSwarm(ctx, node, manager);
    return manager;
  }

  private async tryFound(
    ctx: DriverContext,
    spec: NodeSpec,
    node: NodeContainer,
    state: string,
  ): Promise<SwarmManager | undefined> {
    if (spec.role !== 'manager' || (await this.parts.managers.anyInDoubt(ctx, node))) return undefined;
    if (!(await this.parts.claim.isFounder(ctx, node))) return undefined;
    if (state !== 'inactive') await leaveSwarm(ctx, node);
    ctx.progress('found the Swarm');
    const seconds = Number(spec.cluster.options['heartbeatSeconds'] ?? 1);
    await foundSwarm(ctx, node, seconds);
    const manager = new SwarmManager(node);
    await this.parts.strays.takeIn(ctx, manager);
    return manager;
  }
}
