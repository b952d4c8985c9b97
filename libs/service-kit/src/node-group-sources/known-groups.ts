import {
  createNodeGroup,
  nodeGroupStream,
  type ClusterCreated,
  type ClusterState,
  type GroupDeclaration,
  type NodeGroupState,
} from '@stave/domain';
import type { Entry, ResourceModel } from '../resources/resource-model.js';

/** Node groups, those included that an acknowledged cluster was asked for with and that nodegroup-service has not made yet. */
export class KnownGroups implements Pick<ResourceModel<NodeGroupState>, 'get' | 'ids' | 'load'> {
  constructor(
    private readonly models: {
      readonly clusters: ResourceModel<ClusterState>;
      readonly groups: ResourceModel<NodeGroupState>;
    },
    private readonly caughtUp: () => Promise<void>,
  ) {}

  get(id: string): NodeGroupState | undefined {
    return this.models.groups.get(id) ?? this.awaited(id);
  }

  *ids(): Iterable<string> {
    yield* this.models.groups.ids();
    for (const { group } of this.allAwaited()) yield group.id;
  }

  async load(id: string): Promise<Entry<NodeGroupState>> {
    const entry = await this.models.groups.load(id);
    if (entry.streamRevision >= 0) return entry;
    await this.caughtUp();
    const state = this.awaited(id);
    return state ? { ...entry, state } : this.models.groups.load(id);
  }

  private awaited(id: string): NodeGroupState | undefined {
    for (const { cluster, group } of this.allAwaited()) if (group.id === id) return declared(cluster, group);
    return undefined;
  }

  private *allAwaited(): Iterable<{ readonly cluster: ClusterCreated['data']; readonly group: GroupDeclaration }> {
    for (const [, { state }] of this.models.clusters.all()) {
      const { created: cluster, deleted } = state;
      if (!cluster || deleted) continue;
      for (const group of cluster.groups)
        if (this.models.groups.entry(group.id) === undefined) yield { cluster, group };
    }
  }
}

/** As it will be made. */
function declared(
  { id: clusterId, projectId, operation }: ClusterCreated['data'],
  group: GroupDeclaration,
): NodeGroupState {
  const decision = createNodeGroup({ ...group, clusterId, projectId, operationId: operation.id });
  return decision.ok
    ? decision.events.reduce((s, e) => nodeGroupStream.evolve(s, e, ''), nodeGroupStream.initial)
    : nodeGroupStream.initial;
}
