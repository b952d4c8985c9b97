import {
  decideClusterPlacement,
  isPending,
  milli,
  placeContainer,
  type ClusterPlacementEvent,
  type PlacementCommandDecision,
} from '@stave/domain';
import type { EventContext } from '@stave/service-kit';
import { workContext } from '../containers/container-tasks.js';
import type { SchedulerModels } from '../scheduler-models.js';
import { inParallel } from './in-parallel.js';
import { recentlyRejectedBy } from './recently-rejected-by.js';

const eventsOf = (decision: PlacementCommandDecision): readonly ClusterPlacementEvent[] =>
  decision.ok ? decision.events : [];

/** Makes containers and reservations agree again: finishes a placement that was only reserved, frees room that nobody uses. */
export class ReservationReconciler {
  constructor(private readonly models: SchedulerModels) {}

  async reconcile(clusterId: string, context: EventContext): Promise<void> {
    const { placement } = this.models;
    await this.resize(clusterId, context);
    const unused = await this.settle(clusterId);
    if (unused.length === 0) return;
    await placement.append(
      clusterId,
      state => eventsOf(decideClusterPlacement({ type: 'Release', containerIds: unused }, state)),
      context,
    );
  }

  /** For containers that need more or less by now; what does not fit waits until it does. */
  private async resize(clusterId: string, context: EventContext): Promise<void> {
    const { containers, nodes, placement } = this.models;
    for (const [containerId, { nodeId, cpuMilli, memoryMb: held }] of [
      ...placement.get(clusterId).ledger.reservations,
    ]) {
      const container = containers.get(containerId);
      const capacity = nodes.get(nodeId)?.result?.capacity;
      const { cpus = 0, memoryMb = 0 } = container?.contents?.resources ?? {};
      if (!capacity || container?.nodeId !== nodeId || (milli(cpus) === cpuMilli && memoryMb === held)) continue;
      const command = { type: 'Resize', containerId, resources: { cpus, memoryMb }, capacity } as const;
      await placement.append(clusterId, state => eventsOf(decideClusterPlacement(command, state)), context);
    }
  }

  private async settle(clusterId: string): Promise<readonly string[]> {
    const { containers, placement } = this.models;
    const { ledger, explanations, closed } = placement.get(clusterId);
    const doubtful = [...ledger.reservations].filter(([id, { nodeId }]) => containers.get(id)?.nodeId !== nodeId);
    const unused: string[] = [];
    const now = Date.now();
    await inParallel(doubtful, async ([id, { nodeId }]) => {
      const { state } = await containers.load(id);
      if (state.nodeId === nodeId || !state.declared) return;
      const explanation = explanations.get(id);
      const isRejected = recentlyRejectedBy(state, now).includes(nodeId);
      const usable = isPending(state) && !ledger.closed.has(nodeId) && !closed && !isRejected && explanation;
      if (usable) await containers.execute(id, s => placeContainer(s, nodeId, explanation), workContext);
      else unused.push(id);
    });
    return unused;
  }
}
