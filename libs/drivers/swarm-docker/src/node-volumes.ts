import type { DriverContext } from '@stave/driver-sdk';
import { type Caller, type DockerEngine, generationOf, ofDriver, labelled, type VolumeSummary } from '@stave/docker';
import { driverName } from './settings.js';
import type { NodeFilter } from './inventory.js';

/**
 * Manages the volumes of nodes without a container. The anonymous volume of a node is removed with its container, but not when an operator
 * removes the container manually.
 */
export class NodeVolumes {
  constructor(
    private readonly host: DockerEngine,
    private readonly installation: string,
  ) {}

  /** Returns the volumes that no container uses. The container of a new volume may not exist yet, so the sweep must find a volume twice. */
  async unused(caller: Caller, { clusterId, nodeId }: NodeFilter): Promise<readonly VolumeSummary[]> {
    const wanted = labelled({ installation: this.installation, unit: 'node', cluster: clusterId, node: nodeId });
    return ofDriver(driverName, await this.host.volumes(caller, wanted, { dangling: ['true'] }));
  }

  /** Removes the unused volumes of a node's generations up to `upTo`, or of a cluster without nodes. */
  async removeUnused(ctx: DriverContext, filter: NodeFilter, upTo = Infinity): Promise<void> {
    for (const volume of await this.unused(ctx, filter))
      if (generationOf(volume.Labels) <= upTo) await this.host.removeVolume(ctx, volume.Name);
  }
}
