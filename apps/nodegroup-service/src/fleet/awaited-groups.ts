import type { ClusterState } from '@stave/domain';

/** The node groups with which clusters were accepted, and which of them do not exist yet. */
export class AwaitedGroups {
  /** By node group. */
  private readonly clusterIds = new Map<string, string>();
  /** Those of every cluster in memory. */
  private readonly declared = new Set<string>();

  get folded(): { readonly clusterIds: Map<string, string>; readonly declared: Set<string> } {
    return { clusterIds: this.clusterIds, declared: this.declared };
  }

  /** Whether a cluster in memory was accepted with the node group. */
  isDeclared(groupId: string): boolean {
    return this.declared.has(groupId);
  }

  /** To be called when the cluster leaves memory. */
  forget({ created }: ClusterState): void {
    for (const { id } of created.groups) this.declared.delete(id);
  }

  /** To be called when the cluster was created or deleted. */
  note({ created, deleted }: ClusterState, exists: (groupId: string) => boolean): void {
    for (const { id } of created.groups) {
      if (!deleted) this.declared.add(id);
      if (deleted) this.clusterIds.delete(id);
      else if (!exists(id)) this.clusterIds.set(id, created.id);
    }
  }

  /** To be called when the node group was created, or its creation abandoned. */
  noteCreated(groupId: string): void {
    this.clusterIds.delete(groupId);
  }

  /** Returns the clusters that wait for a node group of this id or name, unless they are being deleted. */
  clustersWith(ref: string, cluster: (id: string) => ClusterState | undefined): readonly ClusterState[] {
    const name = ref.toLowerCase();
    const waiting = [...new Set(this.clusterIds.values())].flatMap(id => cluster(id) ?? []);
    return waiting.filter(
      ({ deleting, created }) =>
        !deleting &&
        created.groups.some(g => this.clusterIds.has(g.id) && (g.id === ref || g.name.toLowerCase() === name)),
    );
  }
}
