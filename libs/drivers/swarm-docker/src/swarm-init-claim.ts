import type { DriverContext } from '@stave/driver-sdk';
import { type Caller, type DockerEngine, label, labelled, shortId, type VolumeSummary } from '@stave/docker';
import type { Inventory, NodeContainer } from './inventory.js';

/** In the names of the claims, so that the engine lists only those of this kind. */
const purpose = '-swarm-init-';

/**
 * Decides which manager node initializes the Swarm when there is none. The claim is a volume: the engine creates each name once, and returns
 * the labels of the first creator to every other one. A claim is never removed before its cluster, because two nodes that replace a stale
 * claim could remove each other's: when the container of the holder does not exist, the next number is claimed.
 */
export class SwarmInitClaim {
  constructor(
    private readonly host: DockerEngine,
    private readonly inventory: Inventory,
    private readonly installation: string,
  ) {}

  /** Returns whether this node, whose container runs, holds the claim, and claims it when there is no holder. */
  async isHolder(ctx: DriverContext, node: NodeContainer): Promise<boolean> {
    const managers = await this.inventory.nodes(ctx, { clusterId: node.clusterId, role: 'manager' });
    for (let number = await this.lastNumber(ctx, node.clusterId); ; number += 1) {
      const holder = await this.claim(ctx, node, number);
      if (holder === node.containerId) return true;
      if (managers.some(other => other.containerId === holder)) return false;
      if (holder !== '' && (await this.exists(ctx, node.clusterId, holder))) return false; // created after the list was read
    }
  }

  private async exists(ctx: DriverContext, clusterId: string, holder: string): Promise<boolean> {
    const managers = await this.inventory.nodes(ctx, { clusterId, role: 'manager' });
    return managers.some(({ containerId }) => containerId === holder);
  }

  /** Returns the volumes that represent claims, of one cluster or of the installation. */
  volumes(caller: Caller, clusterId?: string): Promise<readonly VolumeSummary[]> {
    const wanted = labelled({ installation: this.installation, unit: 'cluster', cluster: clusterId });
    return this.host.volumes(caller, wanted, { name: [purpose] });
  }

  async removeAll(ctx: DriverContext, clusterId: string): Promise<void> {
    for (const volume of await this.volumes(ctx, clusterId)) await this.host.removeVolume(ctx, volume.Name);
  }

  private async claim(ctx: DriverContext, node: NodeContainer, number: number): Promise<string> {
    const { containerId: claimHolder, clusterId: cluster } = node;
    const Labels = labelled({ installation: this.installation, unit: 'cluster', cluster, claimHolder, generation: 0 });
    const body = { Name: `${this.prefix(cluster)}${number}`, Labels };
    const volume = await this.host.change<VolumeSummary>(ctx, 'POST', '/volumes/create', { body });
    return volume.Labels?.[label.claimHolder] ?? '';
  }

  private async lastNumber(ctx: DriverContext, clusterId: string): Promise<number> {
    const prefix = this.prefix(clusterId);
    const numbers = (await this.volumes(ctx, clusterId)).map(volume => Number(volume.Name.slice(prefix.length)));
    return Math.max(1, ...numbers);
  }

  private prefix(clusterId: string): string {
    return `stave-${shortId(this.installation, clusterId)}${purpose}`;
  }
}
