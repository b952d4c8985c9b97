import {
  decideClusterPlacement,
  evictContainer,
  completeEviction,
  nodeEvictionReason,
  failEviction,
  removeContainerWithNode,
  containerRemovalFailure,
  type ClusterPlacement,
  type ClusterPlacementEvent,
  type NodeState,
} from '@stave/domain';
import type { EventContext } from '@stave/service-kit';
import { workContext } from '../containers/container-tasks.js';
import type { SchedulerModels } from '../scheduler-models.js';
import { inParallel } from './in-parallel.js';

interface LeavingNode {
  readonly id: string;
  readonly revision: number;
  readonly reason: string;
  /** Its infrastructure goes too. */
  readonly removing: boolean;
}

const isShut = (node: NodeState): boolean => !node.schedulable || node.removing || node.deleted;

/** Closes nodes that take nothing any more, moves containers off those that drain or go, and tells when they are empty. */
export class NodeReconciler {
  constructor(private readonly models: SchedulerModels) {}

  async reconcile(clusterId: string, context: EventContext): Promise<void> {
    const { placement } = this.models;
    await placement.append(clusterId, state => this.doors(clusterId, state), context);
    const leaving = this.leaving(clusterId);
    for (const node of leaving) await this.displaceAll(node);
    await placement.append(
      clusterId,
      state =>
        leaving.flatMap(node => [
          ...completeEviction(state, node.id, node.revision),
          ...(node.removing ? [] : failEviction(state, node, this.leftOn(node.id))),
        ]),
      context,
    );
  }

  /** Something is to be done for this cluster's nodes. */
  isUnsettled(clusterId: string): boolean {
    const state = this.models.placement.get(clusterId);
    const told = (node: LeavingNode): boolean => state.completedEvictions.get(node.id) === node.revision;
    return this.doors(clusterId, state).length > 0 || this.leaving(clusterId).some(node => !told(node));
  }

  private doors(clusterId: string, state: ClusterPlacement): readonly ClusterPlacementEvent[] {
    return this.models.nodesOf.in(clusterId).flatMap(nodeId => {
      const node = this.models.nodes.get(nodeId);
      if (!node?.wasActive || (node.deleted && !state.ledger.sums.has(nodeId))) return [];
      const reason = node.deleted ? 'removed' : (nodeEvictionReason(node) ?? 'cordoned');
      const decision = decideClusterPlacement(
        isShut(node) ? { type: 'CloseNode', nodeId, reason } : { type: 'OpenNode', nodeId },
        state,
      );
      return decision.ok ? decision.events : [];
    });
  }

  private leaving(clusterId: string): readonly LeavingNode[] {
    return this.models.nodesOf.in(clusterId).flatMap(id => {
      const node = this.models.nodes.get(id);
      const why = node && nodeEvictionReason(node);
      return why
        ? [{ id, revision: node.revision, reason: `its node is being ${why}`, removing: why !== 'drained' }]
        : [];
    });
  }

  private leftOn(nodeId: string): readonly (string | undefined)[] {
    const { containers, onNode } = this.models;
    return onNode.in(nodeId).map(id => {
      const container = containers.get(id);
      return container && containerRemovalFailure(container);
    });
  }

  private async displaceAll(node: LeavingNode): Promise<void> {
    const { containers, onNode } = this.models;
    await inParallel(onNode.in(node.id), async id => {
      await containers.execute(id, state => evictContainer(state, node.id, node.reason), workContext);
      if (node.removing) await containers.execute(id, state => removeContainerWithNode(state, node.id), workContext);
    });
  }
}
