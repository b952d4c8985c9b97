import { closeAttachment, deleteNetwork, releaseNetwork, removeAttachment, type NetworkState } from '@stave/domain';
import type { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import type { NetworkCreation } from './network-creation.js';
import { networkContext } from './network.tasks.js';

/** How long a network that was made for a container may be without one: the container is created next. */
const UNUSED_MS = 30_000;

/** Removes networks that are being deleted, those that nothing uses any more, and what the ledger keeps of them. */
export class NetworkReconciler {
  constructor(
    private readonly projection: SchedulerProjection,
    private readonly creation: NetworkCreation,
  ) {}

  /** Resolves to the milliseconds after which the network is to be reconciled again. */
  async reconcile(id: string): Promise<number | undefined> {
    const { networks, placement } = this.projection;
    const state = networks.get(id);
    if (!state) return undefined;
    const { clusterId } = state.declared;
    const context = networkContext(state);
    if (state.deleted) {
      await placement.append(clusterId, ledger => removeAttachment(ledger, id), context);
      await this.creation.release(state.declared, context);
      return undefined;
    }
    if (!state.deleting) return this.removeUnused(id, state);
    await placement.append(clusterId, ledger => closeAttachment(ledger, id), context);
    if (placement.get(clusterId).ledger.lent.closed.has(id)) await networks.settle(id, releaseNetwork, networkContext);
    return undefined;
  }

  isUnsettled(id: string, state: NetworkState): boolean {
    if (state.deleted) {
      const { closed, subnetOfNetwork } = this.projection.placement.get(state.declared.clusterId).ledger.lent;
      return closed.has(id) || subnetOfNetwork.has(id);
    }
    return state.deleting || this.isUnused(state);
  }

  private isUnused({ declared, autoRemove }: NetworkState): boolean {
    const { attachmentNames } = this.projection;
    return autoRemove && !attachmentNames.hasUsers('network', declared.clusterId, declared.name);
  }

  private async removeUnused(id: string, state: NetworkState): Promise<number | undefined> {
    const { attachmentNames, networks } = this.projection;
    if (!this.isUnused(state)) return undefined;
    const leftMs = Date.parse(state.createdAt) + UNUSED_MS - Date.now();
    if (leftMs > 0 && !attachmentNames.wasUsed(id)) return leftMs;
    const request = { operationId: '', reason: 'no container uses it any more', users: [] };
    const decide = (s: NetworkState) => deleteNetwork(s, request);
    await networks.settle(id, decide, networkContext);
    return undefined;
  }
}
