import {
  accept,
  closeGroups,
  createNodeGroup,
  deleteNodeGroup,
  registerGroups,
  type ClusterState,
  type GroupDeclaration,
  type NodeGroupDeclaration,
  type OperationStart,
} from '@stave/domain';
import { RefusedError } from '@stave/contracts';
import { causedBy, type EventContext } from '@stave/service-kit';
import type { NodeGroupModels } from '../nodegroup-models.js';
import { ClusterRolloutReconciler } from './cluster-rollout-reconciler.js';
import type { GroupRegistration } from './node-group-registry.js';

/** Makes the groups that a new cluster was asked for with, lets them do what is done to all its nodes, and takes them when it goes. */
export class ClusterReconciler {
  private readonly rollouts: ClusterRolloutReconciler;

  constructor(
    private readonly models: NodeGroupModels,
    private readonly registration: GroupRegistration,
  ) {
    this.rollouts = new ClusterRolloutReconciler(models);
  }

  async reconcile(clusterId: string): Promise<void> {
    const cluster = this.models.clusters.get(clusterId);
    if (!cluster?.created || cluster.deleted) return;
    if (cluster.deleting) return this.remove(clusterId, cluster);
    await this.create(clusterId, cluster);
    await this.rollouts.follow(clusterId, cluster);
  }

  private async create(clusterId: string, cluster: ClusterState): Promise<void> {
    const { created } = cluster;
    if (!created) return;
    const missing = created.groups.filter(g => !this.models.groups.get(g.id)?.declared);
    if (missing.length === 0) return;
    const context = this.context(cluster, created.operation.id);
    const { state } = await this.models.registry.execute(
      clusterId,
      registry => (registry.closed ? accept() : registerGroups(registry, missing)),
      context,
    );
    const registered = missing.filter(g => state.groups.has(g.id));
    await Promise.all(registered.map(group => this.createGroup(cluster, group, context)));
  }

  private async createGroup(cluster: ClusterState, group: GroupDeclaration, context: EventContext): Promise<void> {
    const { created } = cluster;
    if (!created) return;
    const { id: clusterId, projectId, operation } = created;
    await this.models.groups
      .create(
        group.id,
        state => state.declared !== undefined,
        () => createNodeGroup({ ...group, clusterId, projectId, operationId: operation.id, ...plannedBy(operation) }),
        context,
      )
      .catch((error: unknown) => {
        const goes = error instanceof RefusedError && error.error.code === 'creation-abandoned';
        if (!goes) throw error;
      });
  }

  private async remove(clusterId: string, cluster: ClusterState): Promise<void> {
    const operationId = cluster.operations.at(-1)?.id ?? '';
    const context = this.context(cluster, operationId);
    const { state } = await this.models.registry.execute(clusterId, closeGroups, context);
    for (const groupId of state.groups.keys()) {
      const { streamRevision } = await this.models.groups.load(groupId);
      const neverCreated = streamRevision <= 0 && (await this.registration.abandon(groupId, context));
      const { state: group } = await this.models.groups.execute(
        groupId,
        s => deleteNodeGroup(s, operationId, undefined, undefined, cluster.forced),
        context,
      );
      if (neverCreated || group.deleted) await this.registration.forget(clusterId, groupId, context);
    }
    await this.models.registry.execute(clusterId, closeGroups, context);
  }

  private context(cluster: ClusterState, operationId: string): EventContext {
    const { id, projectId } = cluster.created ?? { id: '', projectId: '' };
    const part = operationId === '' ? {} : { operationId };
    const cause = causedBy(this.models.clusters.entry(id));
    return { correlationId: operationId || id, ...part, ...cause, project: projectId, clusterId: id };
  }
}

/** What its cluster was created for by a plan. */
const plannedBy = ({ planned }: OperationStart): Pick<NodeGroupDeclaration, 'planned'> => (planned ? { planned } : {});
