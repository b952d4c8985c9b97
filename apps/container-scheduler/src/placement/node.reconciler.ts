import {
  accept,
  completeEviction,
  containerRemovalFailure,
  decideClusterPlacement,
  delayNodeEviction,
  evictContainer,
  failEviction,
  isOpenNode,
  isTakenByGroup,
  nodeEvictionReason,
  removeContainerWithNode,
  type ClusterPlacement,
  type ClusterPlacementEvent,
  type NodeState,
} from '@stave/domain';
import type { EventContext } from '@stave/service-kit';
import { workContext } from '../containers/container.tasks.js';
import type { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { AwaitedRemovals } from './awaited-removals.js';
import { evictedByTaint, hasEvictingTaint } from './evicting-taints.js';
import { inParallel } from './in-parallel.js';

/** A node that must have no containers. */
interface LeavingNode {
  readonly id: string;
  readonly revision: number;
  readonly reason: string;
  /** Whether the node is removed or rebuilt: containers that cannot be removed are lost with it. */
  readonly removing: boolean;
}

/** Closes nodes that accept no containers, evicts the containers of nodes that leave, and reports when these are empty. */
export class NodeReconciler {
  private readonly awaited: AwaitedRemovals;

  constructor(private readonly projection: SchedulerProjection) {
    this.awaited = new AwaitedRemovals(projection);
  }

  /** Reconciles the nodes that changed, so that the cost does not grow with the nodes of the cluster. */
  async reconcile(clusterId: string, context: EventContext): Promise<void> {
    const { placement, pendingNodes } = this.projection;
    const changed = pendingNodes.in(clusterId);
    if (changed.length === 0) return;
    await this.awaited.abandonOld(changed, clusterId, context);
    await placement.append(clusterId, state => accept(...changed.flatMap(id => this.closing(id, state))), context);
    const leaving = changed.flatMap(id => this.leaving(id) ?? []);
    for (const node of leaving) await this.evictContainers(node);
    for (const id of changed) await this.evictUntolerating(id);
    await placement.append(
      clusterId,
      state => {
        const events = leaving.flatMap(node => [
          ...completeEviction(state, { nodeId: node.id, nodeRevision: node.revision }),
          ...delayNodeEviction(state, { nodeId: node.id, nodeRevision: node.revision, sets: this.setsOn(node.id) }),
          ...(node.removing ? [] : failEviction(state, node, this.removalFailures(node.id))),
        ]);
        return accept<ClusterPlacementEvent>(...events);
      },
      context,
    );
    for (const id of changed) if (this.isSettled(id, clusterId)) pendingNodes.put(id, undefined);
  }

  /** Checks every node of the cluster: whether one must be closed, opened or reported as empty. These are reconciled next. */
  isUnsettled(clusterId: string): boolean {
    const { nodesByCluster, pendingNodes } = this.projection;
    for (const id of nodesByCluster.in(clusterId)) if (!this.isSettled(id, clusterId)) pendingNodes.put(id, clusterId);
    return pendingNodes.sizeOf(clusterId) > 0;
  }

  private isSettled(nodeId: string, clusterId: string): boolean {
    const state = this.projection.placement.seen(clusterId);
    const leaving = this.leaving(nodeId);
    const isReported = !leaving || state.completedEvictions.get(nodeId) === leaving.revision;
    const isDecided = !this.awaited.isAwaited(nodeId, state);
    return (
      isDecided && isReported && this.closing(nodeId, state).length === 0 && this.untolerating(nodeId).length === 0
    );
  }

  /** Returns the events that close or open the node; none in a cluster that is being deleted and has no containers. */
  private closing(nodeId: string, state: ClusterPlacement): readonly ClusterPlacementEvent[] {
    const { ledger, unneeded, containersRemoved } = state;
    const node = this.projection.nodes.get(nodeId);
    if (!node || containersRemoved || (node.deleted && !ledger.sums.has(nodeId))) return [];
    if (!node.wasActive && !ledger.awaited.has(nodeId)) return [];
    const isTaken = this.isTaken(node) || this.awaited.isAwaited(nodeId, state);
    const isClosed = !isOpenNode(node) || node.deleted || isTaken;
    if (!isClosed && unneeded.has(nodeId)) return [];
    const waits = node.release || isTaken ? 'to be removed' : 'cordoned';
    const reason = node.deleted ? 'removed' : (nodeEvictionReason(node) ?? waits);
    const decision = decideClusterPlacement(
      isClosed ? { type: 'CloseNode', nodeId, reason } : { type: 'OpenNode', nodeId },
      state,
    );
    return decision.ok ? decision.events : [];
  }

  /** Whether its group has accepted that the node is removed or rebuilt. */
  private isTaken(node: NodeState): boolean {
    const group = this.projection.groups.get(node.declared.nodeGroupId);
    return group !== undefined && isTakenByGroup(group, node);
  }

  private leaving(id: string): LeavingNode | undefined {
    const node = this.projection.nodes.get(id);
    const why = node && nodeEvictionReason(node);
    if (!node) return undefined;
    const { containersRemoved, unneeded } = this.projection.placement.seen(node.declared.clusterId);
    if (containersRemoved) return undefined;
    if (!why && unneeded.has(id) && !node.deleted)
      return { id, revision: node.revision, reason: 'its node is not needed', removing: false };
    if (!why) return undefined;
    return { id, revision: node.revision, reason: `its node is being ${why}`, removing: why !== 'drained' };
  }

  /** Returns the sets with members on the node that have not left yet, in the order of their names. */
  private setsOn(nodeId: string): readonly { readonly id: string; readonly name: string }[] {
    const { containers, containersByNode, sets } = this.projection;
    const found = new Map<string, string>();
    for (const id of containersByNode.in(nodeId)) {
      const { declared, deleting } = containers.get(id) ?? {};
      const set = deleting ? undefined : sets.get(declared?.setId ?? '');
      if (set) found.set(set.declared.id, set.declared.name);
    }
    return [...found].map(([id, name]) => ({ id, name })).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Returns for each container on the node why its removal failed; undefined while it may still be removed. */
  private removalFailures(nodeId: string): readonly (string | undefined)[] {
    const { containers, containersByNode } = this.projection;
    return containersByNode.in(nodeId).map(id => {
      const container = containers.get(id);
      return container && containerRemovalFailure(container);
    });
  }

  /** Returns the containers outside of sets that have to leave a node because of its taints, and why. The sets take their members away. */
  private untolerating(nodeId: string): readonly { readonly id: string; readonly reason: string }[] {
    const { nodes, containers, containersByNode } = this.projection;
    const node = nodes.get(nodeId);
    if (!node || !hasEvictingTaint(this.projection, node)) return [];
    return containersByNode.in(nodeId).flatMap(id => {
      const container = containers.get(id);
      if (!container || container.declared.setId !== undefined || container.deleting) return [];
      const reason =
        container.evictionReason === undefined ? evictedByTaint(this.projection, node, container) : undefined;
      return reason === undefined ? [] : [{ id, reason }];
    });
  }

  private async evictUntolerating(nodeId: string): Promise<void> {
    await inParallel(this.untolerating(nodeId), ({ id, reason }) =>
      this.projection.containers.execute(id, state => evictContainer(state, { nodeId, reason }), workContext),
    );
  }

  private async evictContainers({ id: nodeId, reason, removing }: LeavingNode): Promise<void> {
    const { containers, containersByNode, nodes } = this.projection;
    const { graceSeconds } = nodes.get(nodeId) ?? {};
    await inParallel(containersByNode.in(nodeId), async id => {
      // the set of a member takes it away within its budget, by a successor elsewhere
      if (containers.get(id)?.declared.setId === undefined)
        await containers.execute(id, state => evictContainer(state, { nodeId, reason, graceSeconds }), workContext);
      if (removing) await containers.execute(id, state => removeContainerWithNode(state, nodeId), workContext);
    });
  }
}
