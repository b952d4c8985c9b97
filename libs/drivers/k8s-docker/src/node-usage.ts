import type { DriverContext, NodeMonitor, NodeUsage } from '@stave/driver-sdk';
import { undefinedOnFailure, type DockerEngine } from '@stave/docker';
import type { Inventory, NodeContainer } from './inventory.js';

const atATime = 16;

/** Reports the utilisation of node containers as the engine measures it, which includes all pods. */
export class HostMonitor implements NodeMonitor {
  constructor(
    private readonly host: DockerEngine,
    private readonly inventory: Inventory,
  ) {}

  async usage(ctx: DriverContext): Promise<readonly NodeUsage[]> {
    const nodes = (await this.inventory.nodes(ctx, {})).filter(node => node.state === 'running');
    const used: NodeUsage[] = [];
    for (let at = 0; at < nodes.length; at += atATime) {
      const some = await Promise.all(nodes.slice(at, at + atATime).map(node => this.usageOf(ctx, node)));
      used.push(...some.flatMap(usage => usage ?? []));
    }
    return used;
  }

  /** Returns undefined when the node stopped after it was listed, or when the engine does not answer within 10 s. */
  private async usageOf(ctx: DriverContext, { containerId, nodeId }: NodeContainer): Promise<NodeUsage | undefined> {
    const used = await undefinedOnFailure(ctx, () => this.host.stats(ctx, containerId, 10_000));
    return used && { nodeId, cpuCores: used.cpuCores, memoryMb: used.memoryMb };
  }
}
