import {
  accept,
  decideClusterPlacement,
  isPending,
  milli,
  placeContainer,
  type ClusterPlacement,
  type ClusterPlacementEvent,
  type Decision,
} from '@stave/domain';
import type { EventContext } from '@stave/service-kit';
import { workContext } from '../containers/container.tasks.js';
import type { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { evictedByTaint } from './evicting-taints.js';
import { inParallel } from './in-parallel.js';
import { nodesToAvoid } from './passed-over.js';

/**
 * Makes reservations and containers consistent: completes placements that were only reserved, releases unused reservations. It checks the
 * containers that changed, or whose reservation did; at all of a cluster only once, when the process has started.
 */
export class ReservationReconciler {
  /** The placements of the clusters that were checked completely; they leave memory with their clusters. */
  private readonly checked = new WeakSet<ClusterPlacement>();

  constructor(private readonly projection: SchedulerProjection) {}

  async reconcile(clusterId: string, context: EventContext): Promise<void> {
    const { changedReservations, placement } = this.projection;
    const changed = changedReservations.in(clusterId);
    if (changed.length === 0) return;
    await this.resize(clusterId, changed, context);
    const containerIds = await this.completePlacements(clusterId, changed);
    if (containerIds.length > 0) {
      const release = { type: 'Release', containerIds } as const;
      await placement.append(clusterId, state => decideClusterPlacement(release, state), context);
    }
    for (const id of changed) if (this.isConsistent(clusterId, id)) changedReservations.put(id, undefined);
  }

  isUnsettled(clusterId: string): boolean {
    const { changedReservations, placement } = this.projection;
    const state = placement.seen(clusterId);
    if (!this.checked.has(state)) {
      this.checked.add(state);
      for (const id of state.ledger.reservations.keys())
        if (!this.isConsistent(clusterId, id)) changedReservations.put(id, clusterId);
    }
    return changedReservations.sizeOf(clusterId) > 0;
  }

  private isConsistent(clusterId: string, containerId: string): boolean {
    const held = this.projection.placement.seen(clusterId).ledger.reservations.get(containerId);
    if (!held) return true;
    const container = this.projection.containers.get(containerId);
    const { cpus = 0, memoryMb = 0 } = container?.contents.resources ?? {};
    return container?.nodeId === held.nodeId && milli(cpus) === held.cpuMilli && memoryMb === held.memoryMb;
  }

  /** Adapts reservations to the current resources of containers. A reservation that does not fit is tried again later. */
  private async resize(clusterId: string, changed: readonly string[], context: EventContext): Promise<void> {
    const { containers, engineReservations, nodes, placement } = this.projection;
    const { reservations } = placement.get(clusterId).ledger;
    for (const containerId of changed) {
      const container = containers.get(containerId);
      const held = reservations.get(containerId);
      const built = nodes.get(held?.nodeId ?? '')?.result?.capacity;
      if (!held || !built || container?.nodeId !== held.nodeId || this.isConsistent(clusterId, containerId)) continue;
      const { cpus = 0, memoryMb = 0 } = container.contents.resources;
      const capacity = engineReservations.leftOf(held.nodeId, built);
      const command = { type: 'Resize', containerId, resources: { cpus, memoryMb }, capacity } as const;
      const resizeIfPossible = (state: ClusterPlacement): Decision<ClusterPlacementEvent> => {
        const decision = decideClusterPlacement(command, state);
        return decision.ok ? decision : accept();
      };
      await placement.append(clusterId, resizeIfPossible, context);
    }
  }

  /** Places the containers that have a reservation and no node. Returns those whose reservation is of no use. */
  private async completePlacements(clusterId: string, changed: readonly string[]): Promise<readonly string[]> {
    const { containers, nodes, placement } = this.projection;
    const { ledger, explanations, closed } = placement.get(clusterId);
    const unused: string[] = [];
    const now = Date.now();
    await inParallel(changed, async id => {
      const held = ledger.reservations.get(id);
      if (!held || containers.get(id)?.nodeId === held.nodeId) return;
      const { nodeId, attached } = held;
      const { state } = await containers.load(id);
      if (!state || state.nodeId === nodeId) return;
      const explanation = explanations.get(id);
      const isRejected = nodesToAvoid(state, now).includes(nodeId);
      const node = nodes.get(nodeId);
      const isDrivenAway = node !== undefined && evictedByTaint(this.projection, node, state) !== undefined;
      const isUsable = isPending(state) && !ledger.closed.has(nodeId) && !closed && !isRejected && !isDrivenAway;
      const data = { nodeId, ...(attached && { attached }) };
      if (isUsable && explanation)
        await containers.execute(id, s => placeContainer(s, { ...data, explanation }), workContext);
      else unused.push(id);
    });
    return unused;
  }
}
