import {
  abandonNetwork,
  deleteNetwork,
  deleteVolumeWithCluster,
  getOrCreate,
  type AbandonedResource,
  type ClusterPlacement,
  type VolumeState,
} from '@stave/domain';
import { networkContext } from '../networks/network.tasks.js';
import type { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { volumeContext } from '../volumes/volume.tasks.js';
import { inParallel } from './in-parallel.js';

/** The networks and volumes of clusters that are being deleted. */
export class ClusterAttachments {
  /** Volumes whose data was left where it is, by the placement of their cluster, which leaves memory with it. */
  private readonly kept = new WeakMap<ClusterPlacement, Map<string, AbandonedResource>>();

  constructor(private readonly projection: SchedulerProjection) {}

  left(clusterId: string): number {
    const { attachmentsByCluster, networks, volumes } = this.projection;
    return attachmentsByCluster.in(clusterId).filter(id => !(networks.get(id) ?? volumes.get(id))?.deleted).length;
  }

  abandoned(clusterId: string): readonly AbandonedResource[] {
    return [...(this.kept.get(this.projection.placement.get(clusterId))?.values() ?? [])];
  }

  /** Deletes them once no container is left. */
  async deleteAll(clusterId: string, operationId: string): Promise<void> {
    const { attachmentsByCluster, networks, volumes } = this.projection;
    await inParallel(attachmentsByCluster.in(clusterId), async id => {
      if (volumes.get(id)) return this.deleteVolume(clusterId, id, operationId);
      const request = { operationId, reason: 'the cluster is being deleted', users: [] };
      await networks.settle(id, state => deleteNetwork(state, request), networkContext);
      await networks.settle(id, abandonNetwork, networkContext);
    });
  }

  private async deleteVolume(clusterId: string, id: string, operationId: string): Promise<void> {
    const { placement, volumes } = this.projection;
    const decide = (state: VolumeState) => deleteVolumeWithCluster(state, operationId);
    const { state } = await volumes.settle(id, decide, volumeContext);
    if (state.abandoned === undefined) return;
    const kept = getOrCreate(this.kept, placement.get(clusterId), () => new Map<string, AbandonedResource>());
    kept.set(id, { type: 'volume', id, name: state.declared.name, reason: state.abandoned });
  }
}
