import type { MachineNodes } from '@stave/docker';
import type { DriverContext, ResourceRef } from '@stave/driver-sdk';
import type { NodeContainer } from './inventory.js';
import type { NodeLauncher } from './node-launcher.js';
import type { NodeVolumes } from './node-volumes.js';
import type { RunDirectory } from './run-directory.js';
import type { SwarmDeparture } from './swarm-departure.js';

/** Removes a node with everything that belongs to it alone: Swarm membership, container, volume and socket directory. */
export class NodeRemoval {
  constructor(
    private readonly departure: SwarmDeparture,
    private readonly launcher: NodeLauncher,
    private readonly volumes: NodeVolumes,
    private readonly runDirectory: RunDirectory,
    private readonly machines: MachineNodes,
  ) {}

  async remove(ctx: DriverContext, node: NodeContainer): Promise<void> {
    await this.departure.depart(ctx, node);
    if (node.machine) return this.machines.giveBack(ctx, node);
    ctx.progress('remove node container');
    await this.launcher.remove(ctx, node.containerId);
    if (node.socket !== '') await this.runDirectory.removeSocket(ctx, node.socket);
  }

  /** Removes volumes and directories of a node whose container does not exist. */
  async removeTraces(ctx: DriverContext, ref: Pick<ResourceRef, 'id' | 'clusterId' | 'generation'>): Promise<void> {
    await this.volumes.removeUnused(ctx, { nodeId: ref.id }, ref.generation);
    await this.runDirectory.removeNode(ctx, ref.clusterId, ref.id, ref.generation);
  }
}
