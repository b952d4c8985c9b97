import {
  abandonVolume,
  closeAttachment,
  deleteVolume,
  observeVolume,
  releaseVolume,
  removeAttachment,
  type VolumePlace,
  type VolumeState,
} from '@stave/domain';
import type { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import type { VolumeCreation } from './volume-creation.js';
import { volumeContext } from './volume.tasks.js';

/** Follows the node that has the data of a volume; removes volumes that are being deleted, and those to be deleted after their last user. */
export class VolumeReconciler {
  constructor(
    private readonly projection: SchedulerProjection,
    private readonly creation: VolumeCreation,
  ) {}

  async reconcile(id: string): Promise<void> {
    const { volumes, placement } = this.projection;
    const state = volumes.get(id);
    if (!state) return;
    const { clusterId } = state.declared;
    const context = volumeContext(state);
    if (state.deleted) {
      await placement.append(clusterId, ledger => removeAttachment(ledger, id), context);
      return this.creation.release(state.declared, context);
    }
    await volumes.settle(id, s => observeVolume(s, this.placeOf(id, s)), volumeContext);
    if (this.isUnused(id, state)) await this.deleteUnused(id);
    if (!volumes.get(id)?.deleting) return;
    await placement.append(clusterId, ledger => closeAttachment(ledger, id), context);
    if (!placement.get(clusterId).ledger.lent.closed.has(id)) return;
    await volumes.settle(id, releaseVolume, volumeContext);
    await volumes.settle(id, s => abandonVolume(s, this.placeOf(id, s).node === 'removed'), volumeContext);
  }

  isUnsettled(id: string, state: VolumeState): boolean {
    const { closed, bindings } = this.projection.placement.get(state.declared.clusterId).ledger.lent;
    if (state.deleted) return closed.has(id) || bindings.has(id);
    const observed = observeVolume(state, this.placeOf(id, state));
    return state.deleting || this.isUnused(id, state) || (observed.ok && observed.events.length > 0);
  }

  /** Where the data is by the ledger, and what became of that node. */
  private placeOf(id: string, { declared }: VolumeState): VolumePlace {
    const { placement, nodes } = this.projection;
    const nodeId = placement.get(declared.clusterId).ledger.lent.bindings.get(id);
    if (nodeId === undefined) return { nodeId, node: undefined };
    const node = nodes.get(nodeId);
    if (!node || node.deleted) return { nodeId, node: 'removed' };
    return { nodeId, node: node.status === 'UNREACHABLE' ? 'unreachable' : 'reachable' };
  }

  private isUnused(id: string, { declared, reclaimPolicy, deleting }: VolumeState): boolean {
    const { attachmentNames } = this.projection;
    const { clusterId, name } = declared;
    const hasUsers = attachmentNames.hasUsers('volume', clusterId, name);
    return reclaimPolicy === 'delete' && !deleting && attachmentNames.wasUsed(id) && !hasUsers;
  }

  private async deleteUnused(id: string): Promise<void> {
    const request = { operationId: '', reason: 'its last container was deleted', users: [] };
    await this.projection.volumes.settle(id, s => deleteVolume(s, request), volumeContext);
  }
}
