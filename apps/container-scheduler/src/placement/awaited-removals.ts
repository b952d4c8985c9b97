import type { AwaitedRemoval, ClusterPlacement } from '@stave/domain';
import { splitStream } from '@stave/platform';
import type { EventContext } from '@stave/service-kit';
import type { SchedulerProjection } from '../scheduling/scheduler.projection.js';

/** Milliseconds after which a removal or rebuild that nodes were closed for is abandoned where it was not appended. One that comes later is refused. */
const AWAITED_MS = 30_000;

/** Removals and rebuilds that nodes were closed for: whether they were accepted shows in the stream of the group, or of the node. */
export class AwaitedRemovals {
  constructor(private readonly projection: SchedulerProjection) {}

  /** Whether what the node was closed for may still be accepted, as far as this process has seen. */
  isAwaited(nodeId: string, { ledger }: ClusterPlacement): boolean {
    const awaited = ledger.awaited.get(nodeId);
    return awaited !== undefined && this.revisionOf(awaited) <= awaited.after;
  }

  /** Takes the places of what came too late for these nodes, so that it never comes. */
  async abandonOld(nodeIds: readonly string[], clusterId: string, context: EventContext): Promise<void> {
    const { placement } = this.projection;
    const state = placement.seen(clusterId);
    const old = new Map<string, AwaitedRemoval>();
    for (const id of nodeIds) {
      const awaited = this.isAwaited(id, state) ? state.ledger.awaited.get(id) : undefined;
      if (awaited && Date.parse(awaited.at) + AWAITED_MS <= Date.now())
        old.set(`${awaited.stream}@${awaited.after}`, awaited);
    }
    for (const awaited of old.values()) {
      await placement.abandon(awaited, context);
      const { model, id } = this.of(awaited);
      await model.load(id);
    }
  }

  private revisionOf(awaited: AwaitedRemoval): number {
    const { model, id } = this.of(awaited);
    return model.entry(id)?.streamRevision ?? -1;
  }

  private of({ stream }: AwaitedRemoval): {
    readonly model: SchedulerProjection['groups' | 'nodes'];
    readonly id: string;
  } {
    const { category, id } = splitStream(stream);
    return { model: category === this.projection.nodes.category ? this.projection.nodes : this.projection.groups, id };
  }
}
