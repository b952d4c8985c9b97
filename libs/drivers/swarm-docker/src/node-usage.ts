import type { DriverContext, NodeMonitor, NodeUsage } from '@stave/driver-sdk';
import { type DockerEngine, undefinedOnFailure } from '@stave/docker';
import { engineOf, type Inventory, type NodeContainer } from './inventory.js';

const atATime = 16;

/** Reports the utilisation of node containers as the host's engine measures it. Two samples take about two seconds for all nodes. */
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
  private async usageOf(ctx: DriverContext, node: NodeContainer): Promise<NodeUsage | undefined> {
    const { containerId, nodeId } = node;
    if (node.machine) return undefinedOnFailure(ctx, () => usageOfMachine(ctx, node));
    const used = await undefinedOnFailure(ctx, () => this.host.stats(ctx, containerId, 10_000));
    return used && { nodeId, cpuCores: used.cpuCores, memoryMb: used.memoryMb };
  }
}

/** The engine of a machine reports no use of its own: that of its containers counts, also of those that are not Stave's. */
async function usageOfMachine(ctx: DriverContext, node: NodeContainer): Promise<NodeUsage> {
  const engine = engineOf(node);
  const running = (await engine.containers(ctx, {}, 5_000)).filter(({ State }) => State === 'running');
  const sum = { cpuCores: 0, memoryMb: 0 };
  for (let at = 0; at < running.length; at += atATime) {
    const some = running.slice(at, at + atATime);
    const used = await Promise.all(some.map(({ Id }) => undefinedOnFailure(ctx, () => engine.stats(ctx, Id, 10_000))));
    for (const one of used) {
      sum.cpuCores += one?.cpuCores ?? 0;
      sum.memoryMb += one?.memoryMb ?? 0;
    }
  }
  return { nodeId: node.nodeId, ...sum };
}
