import {
  accept,
  completeEviction,
  containerRemovalFailure,
  decideClusterPlacement,
  evictContainer,
  failEviction,
  nodeEvictionReason,
  removeContainerWithNode,
  type ClusterPlacement,
  type ClusterPlacementEvent,
  type NodeState,
} from '@stave/domain';
import type { EventContext } from '@stave/service-kit';
import { workContext } from '../containers/container.tasks.js';
import type { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { inParallel } from './in-parallel.js';

/** A node that must have no containers. */
interface LeavingNode {
  readonly id: string;
  readonly revision: number;
  readonly reason: string;
  /** Whether the node is removed or rebuilt: containers that cannot be removed are lost with it. */
  readonly removing: boolean;
}

const isClosed = (node: NodeState): boolean => !node.schedulable || node.removing || node.deleted;

/** Closes nodes that accept no containers, evicts the containers of nodes that leave, and reports when these are empty. */
export class NodeReconciler {
  constructor(private readonly projection: SchedulerProjection) {}

  async reconcile(clusterId: string, context: EventContext): Promise<void> {
    const { placement } = this.projection;
    await placement.append(clusterId, state => accept(...this.closings(clusterId, state)), context);
    const leaving = this.leaving(clusterId);
    for (const node of leaving) await this.evictContainers(node);
    await placement.append(
      clusterId,
      state => {
        const events = leaving.flatMap(node => [
          ...completeEviction(state, { nodeId: node.id, nodeRevision: node.revision }),
          ...(node.removing ? [] : failEviction(state, node, this.removalFailures(node.id))),
        ]);
        return accept<ClusterPlacementEvent>(...events);
      },
      context,
    );
  }

  /** Whether a node of the cluster must be closed, opened or reported as empty. */
  isUnsettled(clusterId: string): boolean {
    const state = this.projection.placement.get(clusterId);
    const isReported = ({ id, revision }: LeavingNode): boolean => state.completedEvictions.get(id) === revision;
    return this.closings(clusterId, state).length > 0 || this.leaving(clusterId).some(node => !isReported(node));
  }

  /** Returns the events that close and open nodes. */
  private closings(clusterId: string, state: ClusterPlacement): readonly ClusterPlacementEvent[] {
    const { nodes, nodesByCluster } = this.projection;
    return nodesByCluster.in(clusterId).flatMap(nodeId => {
      const node = nodes.get(nodeId);
      if (!node?.wasActive || (node.deleted && !state.ledger.sums.has(nodeId))) return [];
      const reason = node.deleted ? 'removed' : (nodeEvictionReason(node) ?? 'cordoned');
      const decision = decideClusterPlacement(
        isClosed(node) ? { type: 'CloseNode', nodeId, reason } : { type: 'OpenNode', nodeId },
        state,
      );
      return decision.ok ? decision.events : [];
    });
  }

  private leaving(clusterId: string): readonly LeavingNode[] {
    const { nodes, nodesByCluster } = this.projection;
    return nodesByCluster.in(clusterId).flatMap(id => {
      const node = nodes.get(id);
      const why = node && nodeEvictionReason(node);
      if (!why) return [];
      return [{ id, revision: node.revision, reason: `its node is being ${why}`, removing: why !== 'drained' }];
    });
  }

  /** Returns for each container on the node why its removal failed; undefined while it may still be removed. */
  private removalFailures(nodeId: string): readonly (string | undefined)[] {
    const { containers, containersByNode } = this.projection;
    return containersByNode.in(nodeId).map(id => {
      const container = containers.get(id);
      return container && containerRemovalFailure(container);
    });
  }

  private async evictContainers({ id: nodeId, reason, removing }: LeavingNode): Promise<void> {
    const { containers, containersByNode } = this.projection;
    await inParallel(containersByNode.in(nodeId), async id => {
      await containers.execute(id, state => evictContainer(state, { nodeId, reason }), workContext);
      if (removing) await containers.execute(id, state => removeContainerWithNode(state, nodeId), workContext);
    });
  }
}
