import { accept, failDrain, failOverdueDrain, nodeEvictionReason, nodeDrained, type NodeState } from '@stave/domain';
import { ReconcileQueue, type EventContext } from '@stave/service-kit';
import type { NodeGroupModels } from '../nodegroup-models.js';

/** Of a deadline further away than this the queue's next round takes care. */
const NEAR_MS = 30_000;

/** Goes on with nodes that the scheduler has emptied, and ends drains at their deadlines. */
export class EvictionReconciler {
  readonly queue: ReconcileQueue;

  constructor(
    private readonly models: NodeGroupModels,
    onError: (id: string, error: unknown) => void,
  ) {
    this.queue = new ReconcileQueue({ work: id => this.settle(id), concurrency: 64, onError });
  }

  /** Something about this node changed. */
  look(id: string): void {
    const state = this.models.nodes.get(id);
    if (state && isLeft(state)) this.queue.mark(id);
  }

  /** Looks at all of them. */
  resync(): void {
    for (const [id, { state }] of this.models.nodes.all()) if (isLeft(state)) this.queue.mark(id);
  }

  private async settle(id: string): Promise<void> {
    const { nodes, evictedAt, notEvicted } = this.models;
    await nodes.execute(
      id,
      // an answer to an earlier request may have been true before containers came back
      state => (evictedAt.get(id) === state.revision ? nodeDrained(state) : accept()),
      contextOf,
    );
    const givenUp = notEvicted.get(id);
    if (givenUp)
      await nodes.execute(
        id,
        state => (givenUp.revision === state.revision ? failDrain(state, givenUp.reason) : accept()),
        contextOf,
      );
    const { state } = await nodes.execute(id, node => failOverdueDrain(node, new Date().toISOString()), contextOf);
    const leftMs = state.status === 'DRAINING' ? Date.parse(state.drainDeadline ?? '') - Date.now() : NaN;
    if (leftMs <= NEAR_MS) this.queue.markLater(id, Math.max(0, leftMs) + 1);
  }
}

const isLeft = (state: NodeState): boolean => nodeEvictionReason(state) !== undefined || state.status === 'DRAINING';

function contextOf({ declared, operation, rebuilding }: NodeState): EventContext {
  const { id, projectId, clusterId } = declared ?? { id: '', projectId: '', clusterId: '' };
  const operationId = operation?.id ?? rebuilding?.operationId;
  const part = operationId === undefined ? {} : { operationId };
  return { correlationId: operationId ?? id, project: projectId, clusterId, ...part };
}
