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
import { NodeRollup } from './node-rollup.js';
import { idOf, type EventStore } from '@stave/platform';
import { ResourceModel, type EventFeed, type Folded } from '@stave/service-kit';

/** Clusters, and what follows for them from the streams of groups, nodes and placement. */
export class ClusterModels {
  readonly clusters: ResourceModel<ClusterState>;
  readonly groups: ResourceModel<NodeGroupState>;
  readonly registry: ResourceModel<ClusterGroupsState>;
  private readonly groupIds = new Map<string, Set<string>>();
  private readonly nodes: NodeRollup;
  /** Of the last event of a group, which shows in the health of its cluster. */
  private readonly groupsAt = new Map<string, number>();
  private readonly containersRemoved = new Set<string>();

  get folded(): Folded['folded'] {
    const { clusters, groups, registry, groupIds, nodes, groupsAt, containersRemoved } = this;
    return { clusters, groups, registry, groupIds, nodes, groupsAt, containersRemoved };
  }

  constructor(store: EventStore) {
    this.nodes = new NodeRollup(store);
    this.clusters = new ResourceModel(clusterStream, store);
    this.groups = new ResourceModel(nodeGroupStream, store);
    this.registry = new ResourceModel(clusterGroupsStream, store);
  }

  follow({ feed }: { readonly feed: EventFeed }, onChange: (clusterId: string) => void): void {
    feed.on('cluster', event => {
      this.clusters.apply(event);
      onChange(idOf(event));
    });
    feed.on('clusterGroups', event => {
      this.registry.apply(event);
      onChange(idOf(event));
    });
    feed.on('nodeGroup', event => {
      this.groups.apply(event);
      const clusterId = this.groups.get(idOf(event))?.declared?.clusterId;
      if (clusterId === undefined) return;
      this.groupsAt.set(clusterId, event.position);
      this.groupIds.set(clusterId, (this.groupIds.get(clusterId) ?? new Set()).add(idOf(event)));
      onChange(clusterId);
    });
    feed.on('node', event => {
      const clusterId = this.nodes.take(idOf(event), event);
      if (clusterId !== undefined) onChange(clusterId);
    });
    feed.on('placement', event => {
      if (event.type !== 'ClusterContainersRemoved') return;
      this.containersRemoved.add(idOf(event));
      onChange(idOf(event));
    });
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
   * Its node groups as they are now, those left out that are being deleted; those that it was created with count before nodegroup-service
   * has made them.
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

  /** Every group that is there, the oldest first. */
  groupStates(clusterId: string): readonly NodeGroupState[] {
    const states = [...(this.groupIds.get(clusterId) ?? [])].flatMap(id => this.groups.get(id) ?? []);
    return states.filter(s => !s.deleted).sort((a, b) => a.createdAt.localeCompare(b.createdAt));
  }

  nodeCounts(clusterId: string): NodeCounts {
    return this.nodes.counts(clusterId);
  }

  /** Of the last event of its groups and nodes that shows in a cluster's document; -1 for none. */
  latestChildPosition(clusterId: string): number {
    return Math.max(this.nodes.position(clusterId), this.groupsAt.get(clusterId) ?? -1);
  }

  /** Which cluster a node belongs to and, for its group, which conductor group it follows. */
  conductorGroupOf(groupId: string): string | null {
    return this.groups.get(groupId)?.spec?.conductorGroup ?? null;
  }

  /** Of every group that is there, with its name. */
  groupSpecs(clusterId: string): readonly (NodeGroupSpec & { readonly name: string })[] {
    return [...(this.groupIds.get(clusterId) ?? [])].flatMap(id => {
      const { declared, spec, deleted } = this.groups.get(id) ?? {};
      return declared && spec && !deleted ? [{ ...spec, name: declared.name }] : [];
    });
  }
}
