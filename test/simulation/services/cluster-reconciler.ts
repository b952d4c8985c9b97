import {
  accept,
  closeGroups,
  createNodeGroup,
  deleteNodeGroup,
  groupView,
  reconcileCluster,
  registerGroups,
  unregisterGroup,
  type ClusterState,
  type GroupView,
} from '@stave/domain';
import type { Models } from './models.js';

/** cluster-service's reconciler and nodegroup-service's follower of clusters over the same deciders. */
export class ClusterReconciler {
  constructor(private readonly models: Models) {}

  reconcile(id: string): void {
    const cluster = this.models.clusters.get(id);
    if (!cluster?.created || cluster.deleted) return;
    const group = (groupId: string): GroupView | undefined => this.view(groupId);
    const groups = [...this.models.groups.entries.values()]
      .filter(({ state }) => state.declared?.clusterId === id)
      .flatMap(({ state }) => this.view(state.declared?.id ?? '') ?? []);
    const groupsRemoved = this.models.registry.get(id)?.emptied ?? false;
    this.models.clusters.execute(id, state =>
      accept(...reconcileCluster(state, { group, groups, groupsRemoved, containersRemoved: true })),
    );
    if (cluster.deleting) this.remove(id, cluster);
    else this.create(id, cluster);
  }

  private view(id: string): GroupView | undefined {
    const group = this.models.groups.get(id);
    return group && groupView(group);
  }

  private create(clusterId: string, { created }: ClusterState): void {
    const missing = created?.groups.filter(g => !this.models.groups.get(g.id)?.declared) ?? [];
    if (!created || missing.length === 0) return;
    const { projectId, operation } = created;
    this.models.registry.execute(
      clusterId,
      state => (state.closed ? accept() : registerGroups(state, missing)),
      ({ ok }) => {
        if (!ok) return;
        for (const group of missing)
          this.models.groups.execute(group.id, state =>
            state.declared ? accept() : createNodeGroup({ ...group, clusterId, projectId, operationId: operation.id }),
          );
      },
    );
  }

  private remove(clusterId: string, cluster: ClusterState): void {
    const operationId = cluster.operations.at(-1)?.id ?? '';
    this.models.registry.execute(clusterId, closeGroups, result => {
      if (!result.ok) return;
      for (const groupId of result.state.groups.keys()) this.removeGroup(clusterId, groupId, operationId);
    });
  }

  private removeGroup(clusterId: string, groupId: string, operationId: string): void {
    const { models } = this;
    if (models.groups.load(groupId).revision < 0)
      models.groups.execute(groupId, () => accept({ type: 'CreationAbandoned', data: {} }));
    models.groups.execute(
      groupId,
      state => deleteNodeGroup(state, operationId),
      result => {
        if (result.ok && (!result.state.declared || result.state.deleted))
          models.registry.execute(clusterId, state => unregisterGroup(state, groupId));
      },
    );
  }
}
