import type { NodeEvictionDelayed, NodeEvictionFailed } from '@stave/domain';
import { idOf, type RecordedEvent } from '@stave/platform';
import type { Folded } from '@stave/service-kit';

/** The scheduler could not evict every container from a node. */
interface FailedEviction {
  /** Revision of the node that the eviction was requested at. */
  readonly revision: number;
  readonly reason: string;
}

/** Events of a placement stream that say how far an eviction is. */
export const eventsOfEvictions: ReadonlySet<string> = new Set([
  'NodeEvictionCompleted',
  'NodeEvictionFailed',
  'NodeEvictionDelayed',
]);

/** Most names of sets in a reason. */
const MOST_NAMES = 5;

/** What the scheduler has reported about the containers of nodes and of clusters that are being deleted. */
export class Evictions implements Folded {
  /** By node: its revision when the scheduler reported that it has no containers. */
  private readonly completedAt = new Map<string, number>();
  private readonly failures = new Map<string, FailedEviction>();
  /** By node: the sets whose budgets its containers wait for. */
  private readonly delays = new Map<string, FailedEviction>();
  private readonly emptyClusters = new Set<string>();

  readonly folded = {
    completedAt: this.completedAt,
    failures: this.failures,
    delays: this.delays,
    emptyClusters: this.emptyClusters,
  };

  /** Returns whether the node had no containers at this revision. */
  isCompleted(nodeId: string, revision: number): boolean {
    return this.completedAt.get(nodeId) === revision;
  }

  failureOf(nodeId: string): FailedEviction | undefined {
    return this.failures.get(nodeId);
  }

  /** Returns why containers on the node wait, where their sets do not let them go yet. */
  delayOf(nodeId: string): FailedEviction | undefined {
    return this.delays.get(nodeId);
  }

  /** Returns whether the cluster is being deleted and has no containers: nothing is placed in it any more. */
  isEmpty(clusterId: string): boolean {
    return this.emptyClusters.has(clusterId);
  }

  /** Notes an event of the placement of a cluster. */
  note(event: RecordedEvent): void {
    if (event.type === 'ClusterContainersRemoved') this.emptyClusters.add(idOf(event));
    const data = event.data as Partial<NodeEvictionFailed['data'] & NodeEvictionDelayed['data']>;
    const { nodeId, nodeRevision: revision = -1, reason = '', sets = [] } = data;
    if (nodeId === undefined) return;
    if (event.type === 'PlacementNodeOpened') this.completedAt.delete(nodeId);
    if (event.type === 'NodeEvictionCompleted') {
      this.completedAt.set(nodeId, revision);
      this.delays.delete(nodeId);
    }
    if (event.type === 'NodeEvictionDelayed') this.delays.set(nodeId, { revision, reason: delayReason(sets) });
    if (event.type === 'NodeEvictionFailed') this.failures.set(nodeId, { revision, reason });
  }

  forgetNode(nodeId: string): void {
    this.completedAt.delete(nodeId);
    this.failures.delete(nodeId);
    this.delays.delete(nodeId);
  }

  forgetCluster(clusterId: string): void {
    this.emptyClusters.delete(clusterId);
  }
}

function delayReason(sets: NodeEvictionDelayed['data']['sets']): string {
  const names = sets.slice(0, MOST_NAMES).map(({ name }) => name);
  const more = sets.length > MOST_NAMES ? ` and ${sets.length - MOST_NAMES} more` : '';
  return `containers wait for the disruption budget of ${sets.length > 1 ? 'the sets' : 'the set'} ${names.join(', ')}${more}`;
}
