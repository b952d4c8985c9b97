import type { DriverContext } from '@stave/driver-sdk';
import { withLabels, type Caller, type EngineClient } from './engine-client.js';
import { unless } from './engine-error.js';
import type { VolumeSummary } from './engine-types.js';
import { generationOf, label } from './labels.js';

export interface VolumeFilter {
  readonly clusterId?: string;
  readonly nodeId?: string;
}

/**
 * Volumes of nodes whose container is gone. A node's volume has no name and goes with its container, but not when a person removes
 * the container by hand.
 */
export class NodeVolumes {
  constructor(
    private readonly host: EngineClient,
    private readonly installation: string,
  ) {}

  /** Those that no container uses. One may be about to be used: whoever sweeps looks twice. */
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

  /** Removes what is left of the node's generations up to this one. */
  async removeLeft(ctx: DriverContext, nodeId: string, upTo: number): Promise<void> {
    for (const volume of await this.left(ctx, { nodeId }))
      if (generationOf(volume.Labels) <= upTo) await this.remove(ctx, volume.Name);
  }

  /** Removes what is left of all nodes of a cluster that has none any more. */
  async removeLeftOf(ctx: DriverContext, clusterId: string): Promise<void> {
    for (const volume of await this.left(ctx, { clusterId })) await this.remove(ctx, volume.Name);
  }

  /** What is gone is success; one that a container uses again (409) belongs to that. */
  async remove(ctx: DriverContext, name: string): Promise<void> {
    await unless([404, 409], this.host.change(ctx, 'DELETE', `/volumes/${name}`));
  }
}
