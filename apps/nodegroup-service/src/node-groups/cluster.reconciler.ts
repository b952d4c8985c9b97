import { Injectable, type OnModuleInit } from '@nestjs/common';
import { RefusedError } from '@stave/contracts';
import {
  accept,
  closeGroups,
  createNodeGroup,
  deleteNodeGroup,
  registerGroups,
  type ClusterState,
  type GroupDeclaration,
} from '@stave/domain';
import { causedBy, ResourceRegistry, type EventContext } from '@stave/service-kit';
import { FleetProjection } from '../fleet/fleet.projection.js';
import { ClusterRollout } from './cluster-rollout.js';
import { NodeGroupRegistry } from './node-group-registry.js';

const CONCURRENCY = 16;

/** Creates the node groups that a cluster was created with, continues its rollouts, and deletes the groups with the cluster. */
@Injectable()
export class ClusterReconciler implements OnModuleInit {
  private readonly rollout: ClusterRollout;

  constructor(
    private readonly projection: FleetProjection,
    private readonly names: NodeGroupRegistry,
    private readonly resources: ResourceRegistry,
  ) {
    this.rollout = new ClusterRollout(projection);
  }

  onModuleInit(): void {
    const reconcile = (id: string): Promise<void> => this.reconcile(id);
    this.resources.reconcile('cluster', this.projection.clusters, { reconcile, concurrency: CONCURRENCY });
  }

  async reconcile(clusterId: string): Promise<void> {
    const cluster = this.projection.clusters.get(clusterId);
    if (!cluster?.created || cluster.deleted) return;
    if (cluster.deleting) return this.deleteGroups(clusterId, cluster);
    await this.createGroups(clusterId, cluster);
    await this.rollout.reconcile(clusterId, cluster);
  }

  private async createGroups(clusterId: string, { created }: ClusterState): Promise<void> {
    const { groups, registry } = this.projection;
    const missing = (created?.groups ?? []).filter(group => !groups.get(group.id)?.declared);
    if (!created || missing.length === 0) return;
    const context = this.context(created, created.operation.id);
    const { state } = await registry.execute(
      clusterId,
      names => (names.closed ? accept() : registerGroups(names, missing)),
      context,
    );
    const registered = missing.filter(group => state.groups.has(group.id));
    await Promise.all(registered.map(group => this.createGroup(created, group, context)));
  }

  private async createGroup(created: Created, group: GroupDeclaration, context: EventContext): Promise<void> {
    const { id: clusterId, projectId, operation } = created;
    const planned = operation.planned ? { planned: operation.planned } : {};
    const declaration = { ...group, clusterId, projectId, operationId: operation.id, ...planned };
    await this.projection.groups
      .create(
        group.id,
        state => state.declared !== undefined,
        () => createNodeGroup(declaration),
        context,
      )
      .catch((error: unknown) => {
        // the cluster was deleted in between, and the creation of the group abandoned
        if (!(error instanceof RefusedError) || error.error.code !== 'creation-abandoned') throw error;
      });
  }

  private async deleteGroups(clusterId: string, { created, operations, forced }: ClusterState): Promise<void> {
    if (!created) return;
    const { groups, registry } = this.projection;
    const operationId = operations.at(-1)?.id ?? '';
    const context = this.context(created, operationId);
    const { state } = await registry.execute(clusterId, closeGroups, context);
    for (const groupId of state.groups.keys()) {
      const { streamRevision } = await groups.load(groupId);
      const neverCreated = streamRevision <= 0 && (await this.names.abandonCreation(groupId, context));
      const { state: group } = await groups.execute(
        groupId,
        s => deleteNodeGroup(s, { operationId, force: forced }),
        context,
      );
      if (neverCreated || group.deleted) await this.names.unregister(clusterId, groupId, context);
    }
    await registry.execute(clusterId, closeGroups, context);
  }

  private context({ id, projectId }: Created, operationId: string): EventContext {
    const operation = operationId === '' ? {} : { operationId };
    const cause = causedBy(this.projection.clusters.entry(id));
    return { correlationId: operationId || id, ...operation, ...cause, project: projectId, clusterId: id };
  }
}

type Created = NonNullable<ClusterState['created']>;
