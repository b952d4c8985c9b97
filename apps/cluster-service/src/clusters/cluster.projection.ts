import {
  clusterGroupsStream,
  clusterStream,
  groupView,
  nodeGroupStream,
  type ClusterGroupsState,
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
  ResourceModel,
  type EventFeed,
  type Folded,
  type Projection,
  type ResourceChanged,
  type StreamRef,
} from '@stave/service-kit';
import { NodeRollup } from './node-rollup.js';

/** Clusters, with what their documents and decisions depend on in the streams of node groups, nodes and placement. */
@Injectable()
export class ClusterProjection implements Projection {
  readonly clusters: ResourceModel<ClusterState>;
  readonly groups: ResourceModel<NodeGroupState>;
  readonly registry: ResourceModel<ClusterGroupsState>;
  private readonly groupIds = new Map<string, Set<string>>();
  private readonly nodes: NodeRollup;
  /** By cluster: position of the last event of a node group, which its health follows from. */
  private readonly groupsAt = new Map<string, number>();
  private readonly containersRemoved = new Set<string>();

  get folded(): Folded['folded'] {
    const { clusters, groups, registry, groupIds, nodes, groupsAt, containersRemoved } = this;
    return { clusters, groups, registry, groupIds, nodes, groupsAt, containersRemoved };
  }

  constructor(@Inject(EVENT_STORE) store: EventStore) {
    this.nodes = new NodeRollup(store);
    this.clusters = new ResourceModel(clusterStream, store);
    this.groups = new ResourceModel(nodeGroupStream, store);
    this.registry = new ResourceModel(clusterGroupsStream, store);
  }

  follow(feed: EventFeed, changed: ResourceChanged): void {
    feed.on('cluster', event => {
      this.clusters.apply(event);
      changed('cluster', idOf(event), event);
    });
    feed.on('clusterGroups', event => {
      this.registry.apply(event);
      changed('cluster', idOf(event), event);
    });
    feed.on('nodeGroup', event => {
      this.groups.apply(event);
      const clusterId = this.groups.get(idOf(event))?.declared?.clusterId;
      if (clusterId === undefined) return;
      this.groupsAt.set(clusterId, event.position);
      this.groupIds.set(clusterId, (this.groupIds.get(clusterId) ?? new Set()).add(idOf(event)));
      changed('cluster', clusterId, event);
    });
    feed.on('node', event => {
      const clusterId = this.nodes.take(idOf(event), event);
      if (clusterId !== undefined) changed('cluster', clusterId, event);
    });
    feed.on('placement', event => {
      if (event.type !== 'ClusterContainersRemoved') return;
      this.containersRemoved.add(idOf(event));
      changed('cluster', idOf(event), event);
    });
  }

  /** Every stream beside its own that shows in the cluster's document. */
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
    const ids = [...(this.groupIds.get(clusterId) ?? [])];
    return {
      group: view,
      groups: ids.flatMap(id => view(id) ?? []),
      abandoned: ids.flatMap(id => this.groups.get(id)?.abandoned ?? []),
      groupsRemoved: this.registry.get(clusterId)?.emptied ?? false,
      containersRemoved: this.containersRemoved.has(clusterId),
    };
  }

  /**
   * The node groups of the cluster that are not being deleted. Those that it was created with are included before nodegroup-service has
   * created them.
   */
  groupsOf({ created }: ClusterState): readonly GroupDeclaration[] {
    if (!created) return [];
    const awaited = created.groups.filter(({ id }) => this.groups.entry(id) === undefined);
    const made = [...(this.groupIds.get(created.id) ?? [])].flatMap(id => {
      const { declared, spec, deleting = true, deleted = true } = this.groups.get(id) ?? {};
      return declared && spec && !deleting && !deleted ? [{ id, name: declared.name, spec }] : [];
    });
    return [...made, ...awaited].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** The node groups that exist, oldest first. */
  groupStates(clusterId: string): readonly NodeGroupState[] {
    const states = [...(this.groupIds.get(clusterId) ?? [])].flatMap(id => this.groups.get(id) ?? []);
    return states.filter(s => !s.deleted).sort((a, b) => a.createdAt.localeCompare(b.createdAt));
  }

  nodeCounts(clusterId: string): NodeCounts {
    return this.nodes.counts(clusterId);
  }

  /** Position of the last event of node groups and nodes that shows in the cluster's document; -1 without one. */
  latestChildPosition(clusterId: string): number {
    return Math.max(this.nodes.position(clusterId), this.groupsAt.get(clusterId) ?? -1);
  }

  /** The conductor group that a node group names itself; null when it follows its cluster. */
  conductorGroupOf(groupId: string): string | null {
    return this.groups.get(groupId)?.spec?.conductorGroup ?? null;
  }

  /** Specifications of the node groups that exist, with their names. */
  groupSpecs(clusterId: string): readonly (NodeGroupSpec & { readonly name: string })[] {
    return [...(this.groupIds.get(clusterId) ?? [])].flatMap(id => {
      const { declared, spec, deleted } = this.groups.get(id) ?? {};
      return declared && spec && !deleted ? [{ ...spec, name: declared.name }] : [];
    });
  }
}
