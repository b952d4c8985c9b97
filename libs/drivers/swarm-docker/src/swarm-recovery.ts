import { DriverError, type DriverContext } from '@stave/driver-sdk';
import type { DockerEngine } from './docker-engine.js';
import type { Inventory, NodeContainer } from './inventory.js';
import { label } from './labels.js';
import { joinSwarm, leaveSwarm, swarmState } from './swarm-member.js';
import type { SwarmManager, SwarmManagers } from './swarm-manager.js';

const copiedLabels: readonly string[] = [label.node, label.nodeGroup, label.role, label.generation, label.zone];

/** Moves nodes whose Swarm was lost with its last manager into a new Swarm. */
export class SwarmRecovery {
  constructor(
    private readonly host: DockerEngine,
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
      const labels = Object.entries((await this.host.container(ctx, node.containerId))?.Config.Labels ?? {});
      const { NodeID } = await swarmState(ctx, node);
      const Labels = Object.fromEntries(labels.filter(([key]) => copiedLabels.includes(key)));
      await manager.change(ctx, NodeID, { Labels });
    } catch (error) {
      if (ctx.signal.aborted || !(error instanceof DriverError)) throw error;
      const fields = { nodeId: node.nodeId, reason: error.message };
      ctx.log.warn(fields, 'a node could not join the new Swarm of its cluster');
    }
  }
}
