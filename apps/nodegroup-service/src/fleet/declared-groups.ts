import { Injectable } from '@nestjs/common';
import { RefusedError } from '@stave/contracts';
import { accept, createNodeGroup, registerGroups, type ClusterState, type GroupDeclaration } from '@stave/domain';
import { causedBy, operationContext, type EventContext } from '@stave/service-kit';
import { FleetProjection } from './fleet.projection.js';

type Created = ClusterState['created'];

/** The node groups that clusters were accepted with. */
@Injectable()
export class DeclaredGroups {
  constructor(private readonly projection: FleetProjection) {}

  /** Returns those that do not exist yet. */
  missingOf({ created }: Pick<ClusterState, 'created'>): readonly GroupDeclaration[] {
    return created.groups.filter(({ id }) => !this.projection.groups.get(id));
  }

  /** Creates those that do not exist yet. Idempotent: any replica may do it, also several at once. */
  async createMissing(cluster: Pick<ClusterState, 'created'>): Promise<void> {
    const { created } = cluster;
    const { registry } = this.projection;
    const missing = this.missingOf(cluster);
    if (missing.length === 0) return;
    const context = clusterContext(this.projection, created, created.operation.id);
    const { state } = await registry.execute(
      created.id,
      names => (names.closed ? accept() : registerGroups(names, missing)),
      context,
    );
    const registered = missing.filter(group => state.groups.has(group.id));
    await Promise.all(registered.map(group => this.create(created, group, context)));
  }

  private async create(created: Created, group: GroupDeclaration, context: EventContext): Promise<void> {
    const { id: clusterId, projectId, operation } = created;
    const planned = operation.planned ? { planned: operation.planned } : {};
    const declaration = { ...group, clusterId, projectId, operationId: operation.id, ...planned };
    await this.projection.groups
      .create(group.id, () => createNodeGroup(declaration), context)
      .catch((error: unknown) => {
        // the cluster was deleted in between, and the creation of the group abandoned
        if (!(error instanceof RefusedError) || error.error.code !== 'creation-abandoned') throw error;
      });
  }
}

/** Returns the metadata of events that follow from the cluster and its operation. */
export function clusterContext(projection: FleetProjection, created: Created, operationId: string): EventContext {
  const cause = causedBy(projection.clusters.entry(created.id));
  const { id, projectId } = created;
  return { ...operationContext({ id, projectId, clusterId: id }, operationId), ...cause };
}
