import {
  clusterGroupsStream,
  clusterStream,
  groupView,
  isBuildBegun,
  nodeGroupStream,
  type AbandonedResource,
  type ClusterContainersRemoved,
  type ClusterCreated,
  type ClusterState,
  type ClusterReconcileInput,
  type GroupDeclaration,
  type GroupView,
  type NodeCounts,
  type NodeGroupSpec,
  type NodeGroupState,
} from '@stave/domain';
import { Inject, Injectable } from '@nestjs/common';
import { idOf, type EventStore } from '@stave/platform';
import {
  EVENT_STORE,
  HeldVolumes,
  modelsOf,
  retention,
  type EventFeed,
  type Projection,
  type ResourceChanged,
  type Retention,
  type StreamRef,
} from '@stave/service-kit';
import { NodeRollup } from './node-rollup.js';
import { SuspectedContainers } from './suspected-containers.js';

const streams = { clusters: clusterStream, groups: nodeGroupStream, registry: clusterGroupsStream };

/** Clusters, with what their documents and decisions depend on in the streams of node groups, nodes and placement. */
@Injectable()
export class ClusterProjection extends modelsOf(streams) implements Projection {
  private readonly groupIds = new Map<string, Set<string>>();
  private readonly nodes: NodeRollup;
  /** By cluster: position of the last event of a node group; the health of the cluster depends on it. */
  private readonly groupsAt = new Map<string, number>();
  private readonly containersRemoved = new Set<string>();
  /** Volumes of clusters whose containers are removed, with their data where it was. */
  private readonly abandonedVolumes = new Map<string, readonly AbandonedResource[]>();
  readonly suspectedContainers = new SuspectedContainers();
  readonly heldVolumes = new HeldVolumes();
  /** The node groups that clusters in memory were created with. */
  private readonly declared = new Set<string>();

  constructor(@Inject(EVENT_STORE) store: EventStore) {
    super(store);
    this.nodes = new NodeRollup(store);
  }

  follow(feed: EventFeed, changed: ResourceChanged): void {
    feed.on('cluster', event => {
      this.clusters.apply(event);
      if (event.type === 'ClusterCreated')
        for (const { id } of (event.data as ClusterCreated['data']).groups) this.declared.add(id);
      changed('cluster', idOf(event), event);
    });
    feed.on('clusterGroups', event => {
      this.registry.apply(event);
      changed('cluster', idOf(event), event);
    });
    feed.on('nodeGroup', event => {
      this.groups.apply(event);
      const clusterId = this.groups.get(idOf(event))?.declared.clusterId;
      if (clusterId === undefined) return;
      this.groupsAt.set(clusterId, event.position);
      this.groupIds.set(clusterId, (this.groupIds.get(clusterId) ?? new Set()).add(idOf(event)));
      changed('cluster', clusterId, event);
    });
    feed.on('node', event => {
      const clusterId = this.nodes.take(idOf(event), event);
      if (clusterId !== undefined) changed('cluster', clusterId, event);
    });
    feed.on('container', event => {
      const clusterId = this.suspectedContainers.take(event);
      if (clusterId !== undefined) changed('cluster', clusterId, event);
    });
    feed.on('volume', event => this.heldVolumes.note(event));
    feed.on('placement', event => {
      if (event.type !== 'ClusterContainersRemoved') return;
      this.containersRemoved.add(idOf(event));
      const { abandoned = [] } = event.data as ClusterContainersRemoved['data'];
      if (abandoned.length > 0) this.abandonedVolumes.set(idOf(event), abandoned);
      changed('cluster', idOf(event), event);
    });
  }

  /** Groups that a living cluster was created with stay: without them they would count as not yet created. */
  retentions(): readonly Retention[] {
    const { clusters, groups, registry, groupsAt, declared } = this;
    return [
      ...this.nodes.retentions(),
      retention(groups, {
        isDone: (id, group) => {
          const isCounted = group && group.abandoned.length > 0 && clusters.get(group.declared.clusterId);
          return !declared.has(id) && !isCounted;
        },
        forget: (id, group) => group && this.forgetGroup(group.declared.clusterId, id),
      }),
      retention(clusters, {
        forget: (id, cluster) => {
          for (const group of cluster?.created.groups ?? []) declared.delete(group.id);
          registry.forget(id);
          groupsAt.delete(id);
          this.nodes.forgetCluster(id);
          this.containersRemoved.delete(id);
          this.abandonedVolumes.delete(id);
        },
      }),
    ];
  }

  /** Returns the streams beside its own that the document of a cluster depends on. */
  *relatedStreams(id: string): Iterable<StreamRef> {
    yield ['clusterGroups', id];
    for (const groupId of this.registry.get(id)?.groups.keys() ?? []) {
      yield ['nodeGroup', groupId];
      for (const nodeId of this.groups.get(groupId)?.members.keys() ?? []) yield ['node', nodeId];
    }
  }

  surroundings(clusterId: string): ClusterReconcileInput {
    const view = (id: string): GroupView | undefined => {
      const group = this.groups.get(id);
      return group && groupView(group);
    };
    const groups = this.everyGroup(clusterId);
    return {
      group: view,
      groups: groups.map(groupView),
      abandoned: [...groups.flatMap(({ abandoned }) => abandoned), ...(this.abandonedVolumes.get(clusterId) ?? [])],
      groupsRemoved: this.registry.get(clusterId)?.emptied ?? false,
      containersRemoved: this.containersRemoved.has(clusterId),
      containersMissing: this.suspectedContainers.has(clusterId),
    };
  }

  /** Returns the node groups that are not being deleted, and those that nodegroup-service has not created yet. */
  groupsOf({ created }: ClusterState): readonly GroupDeclaration[] {
    const awaited = created.groups.filter(({ id }) => this.groups.entry(id) === undefined);
    const made = this.everyGroup(created.id)
      .filter(({ deleting, deleted }) => !deleting && !deleted)
      .map(({ declared: { id, name }, spec }) => ({ id, name, spec }));
    return [...made, ...awaited].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Returns the node groups that exist, oldest first. */
  groupStates(clusterId: string): readonly NodeGroupState[] {
    return this.everyGroup(clusterId)
      .filter(s => !s.deleted)
      .sort((a, b) => a.createdAt.localeCompare(b.createdAt));
  }

  nodeCounts(clusterId: string): NodeCounts {
    return this.nodes.counts(clusterId);
  }

  /** Whether nodes exist, or node groups get some as soon as the shared infrastructure, whose build has begun, is complete. */
  hasNodes(state: ClusterState): boolean {
    const wanted = isBuildBegun(state) && this.groupsOf(state).some(({ spec }) => spec.count > 0);
    return wanted || this.nodeCounts(state.created.id).total > 0;
  }

  /** Returns the position of the last event that changed the document of the cluster; -1 without one. */
  position(clusterId: string): number {
    const own = this.clusters.entry(clusterId)?.position ?? -1;
    return Math.max(own, this.nodes.position(clusterId), this.groupsAt.get(clusterId) ?? -1);
  }

  /** Returns the conductor group that a node group names itself; null when it has that of its cluster. */
  conductorGroupOf(groupId: string): string | null {
    return this.groups.get(groupId)?.spec.conductorGroup ?? null;
  }

  /** Returns the specifications of the node groups that exist, with their names. */
  groupSpecs(clusterId: string): readonly (NodeGroupSpec & { readonly name: string })[] {
    return this.groupStates(clusterId).map(({ spec, declared: { name } }) => ({ ...spec, name }));
  }

  private forgetGroup(clusterId: string, id: string): void {
    const ids = this.groupIds.get(clusterId);
    ids?.delete(id);
    if (ids?.size === 0) this.groupIds.delete(clusterId);
    // of a deleted group an event may have come after its cluster was forgotten
    if (!this.clusters.get(clusterId)) this.groupsAt.delete(clusterId);
  }

  /** Returns the node groups of the cluster, those that are deleted included until they are forgotten. */
  private everyGroup(clusterId: string): readonly NodeGroupState[] {
    return [...(this.groupIds.get(clusterId) ?? [])].flatMap(id => this.groups.get(id) ?? []);
  }
}
