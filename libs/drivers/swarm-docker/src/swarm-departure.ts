import { DriverError, type DriverContext } from '@stave/driver-sdk';
import type { Inventory, NodeContainer } from './inventory.js';
import type { KeyedLock } from './keyed-lock.js';
import { SwarmManager, type SwarmManagers } from './swarm-manager.js';
import { until } from './until.js';
import { balanceQuorum, demote, isMemberOf } from './swarm-quorum.js';

/** Takes nodes out of their Swarm before their containers go. */
export class SwarmDeparture {
  constructor(
    private readonly inventory: Inventory,
    private readonly managers: SwarmManagers,
    private readonly lock: KeyedLock,
  ) {}

  /**
   * Best effort: a Swarm without a majority or without any manager must not keep a node from being removed. What is left in a
   * Swarm's list then goes with the next node that departs.
   */
  async depart(ctx: DriverContext, node: NodeContainer): Promise<void> {
    try {
      await this.lock.run(node.clusterId, () => this.leaveInOrder(ctx, node));
    } catch (error) {
      if (ctx.signal.aborted || !(error instanceof DriverError)) throw error;
      ctx.log.warn(
        { nodeId: node.nodeId, reason: error.message },
        'node leaves its Swarm without the managers knowing',
      );
    }
  }

  private async leaveInOrder(ctx: DriverContext, node: NodeContainer): Promise<void> {
    const manager = await this.managerThatStays(ctx, node);
    if (!manager) return;
    ctx.progress('leave the Swarm');
    const members = await manager.nodes(ctx);
    for (const member of members.filter(one => isMemberOf(one, node.nodeId, node.generation))) {
      if (member.Spec.Role === 'manager') {
        await balanceQuorum(ctx, manager, member); // first: when it leads, its going slows all else down for half a minute
        await demote(ctx, manager, member);
      }
      const what = `departure of node ${node.nodeId}`;
      await until({ what, withinMs: 10_000, signal: ctx.signal, now: ctx.now }, async () => {
        await manager.forget(ctx, member.ID);
        return true;
      });
    }
  }

  /** When the node is the only manager, those who stand by take over from it first. */
  private async managerThatStays(ctx: DriverContext, node: NodeContainer): Promise<SwarmManager | undefined> {
    const other = await this.managers.find(ctx, node.clusterId, node.containerId);
    if (other || node.role !== 'manager') return other;
    const standby = await this.inventory.nodes(ctx, { clusterId: node.clusterId, role: 'manager' });
    const anyRuns = standby.some(one => one.state === 'running' && one.containerId !== node.containerId);
    if (!anyRuns || !(await this.managers.isManager(ctx, node))) return undefined;
    const leaving = new SwarmManager(node);
    const self = (await leaving.nodes(ctx)).find(one => isMemberOf(one, node.nodeId, node.generation));
    await balanceQuorum(ctx, leaving, self);
    const what = `a manager of cluster ${node.clusterId} to take over`;
    return until({ what, withinMs: 20_000, signal: ctx.signal, now: ctx.now }, () =>
      this.managers.find(ctx, node.clusterId, node.containerId),
    );
  }
}
