import { withLabels, type Caller, type EngineClient } from './engine-client.js';
import { unless } from './engine-error.js';
import type { VolumeSummary } from './engine-types.js';
import type { Inventory, NodeContainer } from './inventory.js';
import { label, shortId } from './labels.js';
import type { DriverContext } from '@stave/driver-sdk';

/**
 * Decides which manager starts the Swarm when there is none. The claim is a volume: the engine gives a name once, and a second
 * creator gets the first one's labels back. A claim is never taken away, as two who replace a stale one could each remove the
 * other's: when the claimant's container is gone, the next number is claimed. All go with the cluster.
 */
export class FounderClaim {
  constructor(
    private readonly host: EngineClient,
    private readonly inventory: Inventory,
    private readonly installation: string,
  ) {}

  /** True when this node, whose container runs, is the founder. */
  async isFounder(ctx: DriverContext, node: NodeContainer): Promise<boolean> {
    const living = await this.inventory.nodes(ctx, { clusterId: node.clusterId, role: 'manager' });
    for (let turn = await this.lastTurn(ctx, node.clusterId); ; turn += 1) {
      const claimant = await this.claim(ctx, node, turn);
      if (claimant === node.containerId) return true;
      if (living.some(other => other.containerId === claimant)) return false;
      if (await this.exists(ctx, claimant)) return false; // came after the list was read
    }
  }

  /** The volumes that hold claims, of one cluster or of the installation. */
  async volumes(caller: Caller, clusterId?: string): Promise<readonly VolumeSummary[]> {
    const wanted = { [label.installation]: this.installation, [label.unit]: 'cluster', [label.cluster]: clusterId };
    const answer = await this.host.read<{ Volumes: VolumeSummary[] | null }>(caller, '/volumes', {
      query: withLabels(wanted),
    });
    return answer.Volumes ?? [];
  }

  async removeVolume(ctx: DriverContext, name: string): Promise<void> {
    await unless([404], this.host.change(ctx, 'DELETE', `/volumes/${name}`));
  }

  private async claim(ctx: DriverContext, node: NodeContainer, turn: number): Promise<string> {
    const body = {
      Name: `${this.prefix(node.clusterId)}${turn}`,
      Labels: {
        [label.installation]: this.installation,
        [label.unit]: 'cluster',
        [label.cluster]: node.clusterId,
        [label.founder]: node.containerId,
        [label.generation]: '0',
      },
    };
    const volume = await this.host.change<VolumeSummary>(ctx, 'POST', '/volumes/create', { body });
    return volume.Labels?.[label.founder] ?? '';
  }

  private async lastTurn(ctx: DriverContext, clusterId: string): Promise<number> {
    const prefix = this.prefix(clusterId);
    const turns = (await this.volumes(ctx, clusterId)).map(volume => Number(volume.Name.slice(prefix.length)));
    return Math.max(1, ...turns);
  }

  private prefix(clusterId: string): string {
    return `stave-${shortId(this.installation, clusterId)}-founder-`;
  }

  private async exists(ctx: DriverContext, containerId: string): Promise<boolean> {
    if (containerId === '') return false;
    return (await unless([404], this.host.read<object>(ctx, `/containers/${containerId}/json`))) !== undefined;
  }
}
