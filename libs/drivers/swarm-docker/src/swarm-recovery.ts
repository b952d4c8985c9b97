import { DriverError, type DriverContext } from '@stave/driver-sdk';
import type { EngineClient } from './engine-client.js';
import type { ContainerDetails } from './engine-types.js';
import type { Inventory, NodeContainer } from './inventory.js';
import { label } from './labels.js';
import { joinSwarm, leaveSwarm, swarmState } from './swarm-member.js';
import type { SwarmManager, SwarmManagers } from './swarm-manager.js';

const copiedLabels: readonly string[] = [label.node, label.nodeGroup, label.role, label.generation, label.zone];

/** Moves nodes whose Swarm was lost with its last manager into a new Swarm. */
export class SwarmRecovery {
  constructor(
    private readonly host: EngineClient,
    private readonly inventory: Inventory,
    private readonly managers: SwarmManagers,
  ) {}

  /**
   * Joins the running nodes of the cluster to the Swarm that the manager has just initialized. A node that fails is only logged: it joins
   * with its next operation. The users' own labels return with the next update of the node.
   */
  async rejoinNodes(ctx: DriverContext, manager: SwarmManager): Promise<void> {
    const { container } = manager;
    const nodes = await this.inventory.nodes(ctx, { clusterId: container.clusterId });
    const others = nodes.filter(node => node.state === 'running' && node.containerId !== container.containerId);
    if (others.length === 0) return;
    const known = new Set((await manager.nodes(ctx)).map(member => member.ID));
    await Promise.all(others.map(node => this.rejoin(ctx, manager, node, known)));
  }

  private async rejoin(
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
        'a node could not join the new Swarm of its cluster',
      );
    }
  }

  private async labelsOf(ctx: DriverContext, node: NodeContainer): Promise<Record<string, string>> {
    const { Config } = await this.host.read<ContainerDetails>(ctx, `/containers/${node.containerId}/json`);
    return Object.fromEntries(Object.entries(Config.Labels).filter(([key]) => copiedLabels.includes(key)));
  }
}
