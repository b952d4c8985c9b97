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
import { inParallel } from './in-parallel.js';
import { nodesToAvoid } from './placer.js';

/** Makes reservations and containers consistent: completes placements that were only reserved, releases unused reservations. */
export class ReservationReconciler {
  constructor(private readonly projection: SchedulerProjection) {}

  async reconcile(clusterId: string, context: EventContext): Promise<void> {
    await this.resize(clusterId, context);
    const containerIds = await this.completePlacements(clusterId);
    if (containerIds.length === 0) return;
    const release = { type: 'Release', containerIds } as const;
    await this.projection.placement.append(clusterId, state => decideClusterPlacement(release, state), context);
  }

  /** Adapts reservations to the current resources of containers. A reservation that does not fit is tried again later. */
  private async resize(clusterId: string, context: EventContext): Promise<void> {
    const { containers, nodes, placement } = this.projection;
    for (const [containerId, reservation] of [...placement.get(clusterId).ledger.reservations]) {
      const container = containers.get(containerId);
      const capacity = nodes.get(reservation.nodeId)?.result?.capacity;
      const { cpus = 0, memoryMb = 0 } = container?.contents.resources ?? {};
      const isCurrent = milli(cpus) === reservation.cpuMilli && memoryMb === reservation.memoryMb;
      if (!capacity || container?.nodeId !== reservation.nodeId || isCurrent) continue;
      const command = { type: 'Resize', containerId, resources: { cpus, memoryMb }, capacity } as const;
      const resizeIfPossible = (state: ClusterPlacement): Decision<ClusterPlacementEvent> => {
        const decision = decideClusterPlacement(command, state);
        return decision.ok ? decision : accept();
      };
      await placement.append(clusterId, resizeIfPossible, context);
    }
  }

  /** Places the containers that have a reservation and no node. Returns those whose reservation is of no use. */
  private async completePlacements(clusterId: string): Promise<readonly string[]> {
    const { containers, placement } = this.projection;
    const { ledger, explanations, closed } = placement.get(clusterId);
    const unconfirmed = [...ledger.reservations].filter(([id, { nodeId }]) => containers.get(id)?.nodeId !== nodeId);
    const unused: string[] = [];
    const now = Date.now();
    await inParallel(unconfirmed, async ([id, { nodeId }]) => {
      const { state } = await containers.load(id);
      if (!state || state.nodeId === nodeId) return;
      const explanation = explanations.get(id);
      const isRejected = nodesToAvoid(state, now).includes(nodeId);
      const isUsable = isPending(state) && !ledger.closed.has(nodeId) && !closed && !isRejected;
      if (isUsable && explanation)
        await containers.execute(id, s => placeContainer(s, { nodeId, explanation }), workContext);
      else unused.push(id);
    });
    return unused;
  }
}
