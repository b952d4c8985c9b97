import { DriverError, type DriverContext } from '@stave/driver-sdk';
import { generationOf, type KeyedLock, label, pollUntil, type SwarmNode } from '@stave/docker';
import type { Inventory, NodeContainer } from './inventory.js';
import { SwarmManager, type SwarmManagers } from './swarm-manager.js';
import {
  balanceQuorum,
  demote,
  engineLabels,
  handoverWithinMs,
  isInQuorum,
  isMemberOf,
  listMembers,
} from './swarm-quorum.js';

/** Takes nodes out of their Swarm before their containers are removed. */
export class SwarmDeparture {
  constructor(
    private readonly inventory: Inventory,
    private readonly managers: SwarmManagers,
    private readonly lock: KeyedLock,
  ) {}

  /**
   * Removes the node from its Swarm. A manager first hands over: its removal while it is still in the raft quorum can cost the Swarm
   * its majority permanently. Throws a transient DriverError while that handover is possible but not complete. In every other case (a
   * worker, a dead node, a Swarm that has lost its majority already) a failure is only logged, so that the node can be removed.
   */
  async depart(ctx: DriverContext, node: NodeContainer): Promise<void> {
    try {
      await this.lock.run(node.clusterId, () => this.leave(ctx, node));
    } catch (error) {
      if (ctx.signal.aborted || !(error instanceof DriverError)) throw error;
      const { nodeId } = node;
      if (await this.managers.isNeededForQuorum(ctx, node)) {
        const message = `manager ${nodeId} is still in the quorum of its Swarm and was not removed: ${error.message}`;
        throw new DriverError('transient', message, { cause: error });
      }
      ctx.log.warn({ nodeId, reason: error.message }, 'the node is removed without leaving its Swarm');
    }
  }

  private async leave(ctx: DriverContext, node: NodeContainer): Promise<void> {
    const manager = await this.remainingManager(ctx, node);
    if (!manager) return;
    ctx.progress('leave the Swarm');
    const members = await listMembers(ctx, manager);
    for (const member of members.filter(one => isMemberOf(one, node))) {
      if (isInQuorum(member)) {
        await balanceQuorum(ctx, manager, member); // before the demotion: the loss of a leader delays every call by up to 30 s
        await demote(ctx, manager, member);
      }
      await removeMember(ctx, manager, member);
    }
    for (const member of await this.removedMembers(ctx, node.clusterId, members))
      await removeMember(ctx, manager, member);
  }

  /** Returns a manager other than this node. When the node is the only manager, a standby is promoted first. */
  private async remainingManager(ctx: DriverContext, node: NodeContainer): Promise<SwarmManager | undefined> {
    const other = await this.managers.findOrWait(ctx, node.clusterId, node.containerId);
    if (other || node.role !== 'manager') return other;
    const candidates = await this.inventory.nodes(ctx, { clusterId: node.clusterId, role: 'manager' });
    const anyRuns = candidates.some(one => one.state === 'running' && one.containerId !== node.containerId);
    if (!anyRuns || !(await this.managers.isManager(ctx, node))) return undefined;
    const leaving = new SwarmManager(node);
    const members = await listMembers(ctx, leaving);
    const own = members.find(one => isMemberOf(one, node));
    await balanceQuorum(ctx, leaving, own);
    const what = `takeover by another manager of cluster ${node.clusterId}`;
    return pollUntil(ctx, { what, withinMs: handoverWithinMs }, () =>
      this.managers.find(ctx, node.clusterId, node.containerId),
    );
  }

  /** Returns the workers that are down because their container was removed while no manager answered. */
  private async removedMembers(ctx: DriverContext, clusterId: string, members: readonly SwarmNode[]) {
    const down = members.filter(member => member.Status.State === 'down' && !isInQuorum(member));
    if (down.length === 0) return [];
    const existing = await this.inventory.nodes(ctx, { clusterId });
    return down.filter(member => {
      const labels = engineLabels(member);
      const isOf = (node: NodeContainer): boolean => isMemberOf(member, node);
      return labels[label.node] !== undefined && generationOf(labels) > 0 && !existing.some(isOf);
    });
  }
}

async function removeMember(ctx: DriverContext, manager: SwarmManager, member: SwarmNode): Promise<void> {
  await pollUntil(ctx, { what: 'removal of a member from the Swarm', withinMs: 10_000 }, async () => {
    await manager.remove(ctx, member.ID);
    return true;
  });
}
