import { DriverError, type DriverContext } from '@stave/driver-sdk';
import type { EngineClient } from './engine-client.js';
import type { ContainerDetails } from './engine-types.js';
import type { Inventory, NodeContainer } from './inventory.js';
import { label } from './labels.js';
import { joinSwarm, leaveSwarm, swarmState } from './swarm-member.js';
import type { SwarmManager, SwarmManagers } from './swarm-manager.js';

const carried = [label.node, label.nodeGroup, label.role, label.generation, label.zone];

/** Nodes that a Swarm left behind when it was lost with its last manager. */
export class SwarmStrays {
  constructor(
    private readonly host: EngineClient,
    private readonly inventory: Inventory,
    private readonly managers: SwarmManagers,
  ) {}

  /**
   * Moves them into the Swarm that was just founded. Best effort: a node whose engine does not answer, or that fails, comes in when
   * it is next acted on. The users' own labels come back with the node's next update.
   */
  async takeIn(ctx: DriverContext, manager: SwarmManager): Promise<void> {
    const { container } = manager;
    const nodes = await this.inventory.nodes(ctx, { clusterId: container.clusterId });
    const others = nodes.filter(node => node.state === 'running' && node.containerId !== container.containerId);
    if (others.length === 0) return;
    const known = new Set((await manager.nodes(ctx)).map(member => member.ID));
    await Promise.all(others.map(node => this.takeInOne(ctx, manager, node, known)));
  }

  private async takeInOne(
    ctx: DriverContext,
    manager: SwarmManager,
    node: NodeContainer,
    known: ReadonlySet<string>,
  ): Promise<void> {
    const state = await this.managers.stateOf(ctx, node);
    if (state?.LocalNodeState !== 'active' || state.ControlAvailable || known.has(state.NodeID)) return;
    try {
      await leaveSwarm(ctx, node);
      await joinSwarm(ctx, node, manager);
      const labels = await this.labelsOf(ctx, node);
      const { NodeID } = await swarmState(ctx, node);
      await manager.change(ctx, NodeID, current => ({ ...current, Labels: labels }));
    } catch (error) {
      if (ctx.signal.aborted || !(error instanceof DriverError)) throw error;
      ctx.log.warn(
        { nodeId: node.nodeId, reason: error.message },
        'a node of the lost Swarm is not in the new one yet',
      );
    }
  }

  private async labelsOf(ctx: DriverContext, node: NodeContainer): Promise<Record<string, string>> {
    const { Config } = await this.host.read<ContainerDetails>(ctx, `/containers/${node.containerId}/json`);
    return Object.fromEntries(Object.entries(Config.Labels).filter(([key]) => carried.some(one => one === key)));
  }
}
