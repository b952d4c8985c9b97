import type { DriverContext } from '@stave/driver-sdk';
import { withLabels, type Caller, type EngineClient } from './engine-client.js';
import { undefinedOn } from './engine-error.js';
import type { VolumeSummary } from './engine-types.js';
import { generationOf, label } from './labels.js';

interface VolumeFilter {
  readonly clusterId?: string;
  readonly nodeId?: string;
}

/**
 * Manages the volumes of nodes without a container. The anonymous volume of a node is removed with its container, but not when an operator
 * removes the container manually.
 */
export class NodeVolumes {
  constructor(
    private readonly host: EngineClient,
    private readonly installation: string,
  ) {}

  /** Returns the volumes that no container uses. A volume may be about to be used, so that the sweep must see it twice. */
  async left(caller: Caller, { clusterId, nodeId }: VolumeFilter): Promise<readonly VolumeSummary[]> {
    const wanted = {
      [label.installation]: this.installation,
      [label.unit]: 'node',
      [label.cluster]: clusterId,
      [label.node]: nodeId,
    };
    const query = withLabels(wanted, { dangling: ['true'] });
    const { Volumes } = await this.host.read<{ Volumes: VolumeSummary[] | null }>(caller, '/volumes', { query });
    return Volumes ?? [];
  }

  /** Removes the remaining volumes of the node's generations up to this one. */
  async removeLeft(ctx: DriverContext, nodeId: string, upTo: number): Promise<void> {
    for (const volume of await this.left(ctx, { nodeId }))
      if (generationOf(volume.Labels) <= upTo) await this.remove(ctx, volume.Name);
  }

  /** Removes the remaining volumes of a cluster without nodes. */
  async removeLeftOf(ctx: DriverContext, clusterId: string): Promise<void> {
    for (const volume of await this.left(ctx, { clusterId })) await this.remove(ctx, volume.Name);
  }

  /** Removes a volume; succeeds when it does not exist, and when a container uses it again (409). */
  async remove(ctx: DriverContext, name: string): Promise<void> {
    await undefinedOn([404, 409], this.host.change(ctx, 'DELETE', `/volumes/${name}`));
  }
}
