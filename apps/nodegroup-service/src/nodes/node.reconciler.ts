import { Injectable } from '@nestjs/common';
import {
  accept,
  awaitsMachine,
  delayEviction,
  failDrain,
  failOverdueDrain,
  nodeDrained,
  nodeEvictionReason,
  type NodeState,
} from '@stave/domain';
import { operationContext, type EventContext } from '@stave/service-kit';
import { FleetProjection } from '../fleet/fleet.projection.js';
import { MachineClaims } from './machine-claims.js';

/** Deadlines further away than this are checked by the resync of the queue. */
const NEAR_MS = 30_000;

/** Continues nodes whose containers the scheduler has evicted or failed to evict, ends drains at their deadlines, and finds machines. */
@Injectable()
export class NodeReconciler {
  constructor(
    private readonly projection: FleetProjection,
    private readonly machines: MachineClaims,
  ) {}

  /** Whether the node waits for an eviction, a deadline or a machine. */
  isUnsettled(state: NodeState): boolean {
    return nodeEvictionReason(state) !== undefined || state.status === 'DRAINING' || awaitsMachine(state);
  }

  /** Resolves to the milliseconds after which the node must be reconciled again; undefined where only an event changes it. */
  async reconcile(id: string): Promise<number | undefined> {
    const { nodes, evictions } = this.projection;
    const node = nodes.get(id);
    if (!node || !this.isUnsettled(node)) return undefined;
    if (awaitsMachine(node)) return this.machines.claimFor(id);
    const isEmpty = evictions.isEmpty(node.declared.clusterId);
    await nodes.execute(
      id,
      // an answer to an earlier request does not count: containers may have been placed on the node since
      state => (isEmpty || evictions.isCompleted(id, state.revision) ? nodeDrained(state) : accept()),
      contextOf,
    );
    const delay = evictions.delayOf(id);
    if (delay)
      await nodes.settle(
        id,
        state => (delay.revision === state.revision ? delayEviction(state, delay.reason) : accept()),
        contextOf,
      );
    const failed = evictions.failureOf(id);
    if (failed)
      await nodes.execute(
        id,
        state => (failed.revision === state.revision ? failDrain(state, failed.reason) : accept()),
        contextOf,
      );
    const { state } = await nodes.execute(id, s => failOverdueDrain(s, new Date().toISOString()), contextOf);
    const leftMs = state.status === 'DRAINING' ? Date.parse(state.drainDeadline ?? '') - Date.now() : NaN;
    return leftMs <= NEAR_MS ? Math.max(0, leftMs) + 1 : undefined;
  }
}

const contextOf = ({ declared, operation, rebuilding }: NodeState): EventContext =>
  operationContext(declared, operation?.id ?? rebuilding?.operationId);
