import type { NodeEvictionFailed } from '@stave/domain';
import { idOf, type RecordedEvent } from '@stave/platform';
import type { Folded } from '@stave/service-kit';

/** The scheduler could not evict every container from a node. */
interface FailedEviction {
  /** Revision of the node that the eviction was requested at. */
  readonly revision: number;
  readonly reason: string;
}

/** What the scheduler has reported about the containers of nodes and of clusters that are being deleted. */
export class Evictions implements Folded {
  /** By node: its revision when the scheduler reported that it has no containers. */
  private readonly completedAt = new Map<string, number>();
  private readonly failures = new Map<string, FailedEviction>();
  private readonly emptyClusters = new Set<string>();

  readonly folded = { completedAt: this.completedAt, failures: this.failures, emptyClusters: this.emptyClusters };

  /** Returns whether the node had no containers at this revision. */
  isCompleted(nodeId: string, revision: number): boolean {
    return this.completedAt.get(nodeId) === revision;
  }

  failureOf(nodeId: string): FailedEviction | undefined {
    return this.failures.get(nodeId);
  }

  /** Returns whether the cluster is being deleted and has no containers: nothing is placed in it any more. */
  isEmpty(clusterId: string): boolean {
    return this.emptyClusters.has(clusterId);
  }

  /** Notes an event of the placement of a cluster. */
  note(event: RecordedEvent): void {
    if (event.type === 'ClusterContainersRemoved') this.emptyClusters.add(idOf(event));
    const { nodeId, nodeRevision: revision = -1, reason = '' } = event.data as Partial<NodeEvictionFailed['data']>;
    if (nodeId === undefined) return;
    if (event.type === 'PlacementNodeOpened') this.completedAt.delete(nodeId);
    if (event.type === 'NodeEvictionCompleted') this.completedAt.set(nodeId, revision);
    if (event.type === 'NodeEvictionFailed') this.failures.set(nodeId, { revision, reason });
  }

  forgetNode(nodeId: string): void {
    this.completedAt.delete(nodeId);
    this.failures.delete(nodeId);
  }

  forgetCluster(clusterId: string): void {
    this.emptyClusters.delete(clusterId);
  }
}
