import type { ContainerSetState } from '@stave/domain';
import type { RecordedEvent } from '@stave/platform';

/** What changed in a cluster since it was last asked: the ids of nodes, of containers, and of sets of which any member may have changed. */
export class ClusterChanges {
  private nodes = new Set<string>();
  private containers = new Set<string>();
  private sets = new Set<string>();

  node(id: string): void {
    this.nodes.add(id);
  }

  container(id: string): void {
    this.containers.add(id);
  }

  set(id: string): void {
    this.sets.add(id);
  }

  /** Returns what changed, and forgets it. */
  take(): Readonly<Record<'nodes' | 'containers' | 'sets', ReadonlySet<string>>> {
    const { nodes, containers, sets } = this;
    this.nodes = new Set();
    this.containers = new Set();
    this.sets = new Set();
    return { nodes, containers, sets };
  }
}

/** The changes of the clusters of which a snapshot is kept. Of others nothing is noted. */
export class SnapshotChanges {
  private readonly byCluster = new Map<string, ClusterChanges>();

  /** Begins to note the changes of a cluster; returns those that it notes already. */
  watch(clusterId: string): ClusterChanges {
    const known = this.byCluster.get(clusterId);
    if (known) return known;
    const changes = new ClusterChanges();
    this.byCluster.set(clusterId, changes);
    return changes;
  }

  in(clusterId: string): ClusterChanges | undefined {
    return this.byCluster.get(clusterId);
  }

  forget(clusterId: string): void {
    this.byCluster.delete(clusterId);
  }
}

/** Notes the members of a set that stay or leave otherwise than before its event: all where it has another target or moves others. */
export function noteMembers(
  changes: ClusterChanges | undefined,
  { data }: RecordedEvent,
  { declared, target, rollout }: ContainerSetState,
  before: ContainerSetState | undefined,
): void {
  if (!changes) return;
  if (target !== before?.target || rollout?.moves !== before.rollout?.moves) changes.set(declared.id);
  const { memberIds = [] } = (data ?? {}) as { readonly memberIds?: readonly string[] };
  for (const id of memberIds) changes.container(id);
}
