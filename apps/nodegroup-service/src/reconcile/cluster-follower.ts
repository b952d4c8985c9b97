import {
  accept,
  closeGroups,
  createNodeGroup,
  deleteNodeGroup,
  registerGroups,
  type ClusterState,
  type GroupDeclaration,
} from '@stave/domain';
import {
  CREATION_ABANDONED,
  newEvents,
  WrongExpectedRevisionError,
  type EventContext,
  type EventStore,
} from '@stave/platform';
import type { NodeGroupModels } from '../nodegroup-models.js';

/** Makes the groups that a new cluster was asked for with, and takes all groups of a cluster that goes. */
export class ClusterFollower {
  constructor(
    private readonly models: NodeGroupModels,
    private readonly store: EventStore,
  ) {}

  async reconcile(clusterId: string): Promise<void> {
    const cluster = this.models.clusters.get(clusterId);
    if (!cluster?.created || cluster.deleted) return;
    await (cluster.deleting ? this.remove(clusterId, cluster) : this.create(clusterId, cluster));
  }

  private async create(clusterId: string, cluster: ClusterState): Promise<void> {
    const { created } = cluster;
    if (!created) return;
    const missing = created.groups.filter(g => !this.models.groups.get(g.id)?.declared);
    if (missing.length === 0) return;
    const context = this.context(cluster, created.operation.id);
    await this.models.registry.execute(
      clusterId,
      state => (state.closed ? accept() : registerGroups(state, missing)),
      context,
    );
    await Promise.all(missing.map(group => this.createGroup(cluster, group, context)));
  }

  private async createGroup(cluster: ClusterState, group: GroupDeclaration, context: EventContext): Promise<void> {
    const { created } = cluster;
    if (!created) return;
    const { id: clusterId, projectId, operation } = created;
    await this.models.groups.execute(
      group.id,
      state =>
        state.declared ? accept() : createNodeGroup({ ...group, clusterId, projectId, operationId: operation.id }),
      context,
    );
  }

  private async remove(clusterId: string, cluster: ClusterState): Promise<void> {
    const operationId = cluster.operations.at(-1)?.id ?? '';
    const context = this.context(cluster, operationId);
    const { state } = await this.models.registry.execute(clusterId, closeGroups, context);
    for (const groupId of state.groups.keys()) {
      const group = await this.models.groups.load(groupId);
      if (group.streamRevision < 0) await this.abandon(groupId, context);
      await this.models.groups.execute(groupId, s => deleteNodeGroup(s, operationId), context);
      if (!group.state.declared || group.state.deleted) await this.forget(clusterId, groupId, context);
    }
    await this.models.registry.execute(clusterId, closeGroups, context);
  }

  /** The group was registered by a writer that never came back; no group may come of it any more. */
  private async abandon(groupId: string, context: EventContext): Promise<void> {
    const stream = this.models.groups.stream(groupId);
    try {
      await this.store.append(
        stream,
        newEvents(stream, -1, [{ type: CREATION_ABANDONED, data: {} }], context, new Date().toISOString()),
        'no_stream',
      );
    } catch (error) {
      if (!(error instanceof WrongExpectedRevisionError)) throw error;
    }
  }

  private async forget(clusterId: string, groupId: string, context: EventContext): Promise<void> {
    await this.models.registry.execute(
      clusterId,
      state => (state.groups.has(groupId) ? accept({ type: 'GroupUnregistered', data: { groupId } }) : accept()),
      context,
    );
  }

  private context(cluster: ClusterState, operationId: string): EventContext {
    const { id, projectId } = cluster.created ?? { id: '', projectId: '' };
    return { correlationId: operationId, operationId, project: projectId, clusterId: id };
  }
}
