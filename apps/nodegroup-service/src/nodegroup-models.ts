import {
  clusterGroupsStream,
  clusterStream,
  isNodeInService,
  nodeGroupStream,
  nodeGroupTemplateStream,
  nodeStream,
  type ClusterGroupsState,
  type ClusterState,
  type NodeEvictionFailed,
  type NodeGroupSpec,
  type NodeGroupState,
  type NodeGroupTemplateState,
  type NodeState,
} from '@stave/domain';
import { idOf, type EventStore, type RecordedEvent } from '@stave/platform';
import { ResourceModel, type EventFeed, type Folded } from '@stave/service-kit';

/** What happens to a cluster and shows in the documents of its groups and nodes. */
export const eventsAffectingChildren: ReadonlySet<string> = new Set([
  'ClusterUpdated',
  'ClusterPaused',
  'ClusterResumed',
  'ClusterUpgradeRequested',
  'ClusterTaskRetried',
  'ClusterDeletionRequested',
  'TaskFailed',
]);

/** Everything that nodegroup-service knows, folded from the log: its own groups and nodes, and what it follows of clusters and placement. */
export class NodeGroupModels {
  readonly groups: ResourceModel<NodeGroupState>;
  readonly nodes: ResourceModel<NodeState>;
  readonly registry: ResourceModel<ClusterGroupsState>;
  readonly clusters: ResourceModel<ClusterState>;
  /** Followed for what groups are made from. */
  readonly groupTemplates: ResourceModel<NodeGroupTemplateState>;
  /** At which revision nodes had no container, by the scheduler's word. */
  readonly evictedAt = new Map<string, number>();
  /** At which revision nodes did not get empty, by the scheduler's word, and why. */
  readonly notEvicted = new Map<string, { readonly revision: number; readonly reason: string }>();
  private readonly byCluster = new Map<string, Set<string>>();
  private readonly ready = new Map<string, Set<string>>();
  private readonly touched = new Map<string, number>();

  get folded(): Folded['folded'] {
    const { groups, nodes, registry, clusters, groupTemplates, evictedAt, notEvicted } = this;
    const { byCluster, ready, touched } = this;
    const models = { groups, nodes, registry, clusters, groupTemplates };
    return { ...models, evictedAt, notEvicted, byCluster, ready, touched };
  }

  constructor(store: EventStore) {
    this.groups = new ResourceModel(nodeGroupStream, store);
    this.nodes = new ResourceModel(nodeStream, store);
    this.registry = new ResourceModel(clusterGroupsStream, store);
    this.clusters = new ResourceModel(clusterStream, store);
    this.groupTemplates = new ResourceModel(nodeGroupTemplateStream, store);
  }

  follow(
    { feed }: { readonly feed: EventFeed },
    on: {
      group(id: string, event: RecordedEvent): void;
      node(id: string, event: RecordedEvent): void;
      cluster(id: string, event: RecordedEvent): void;
    },
  ): void {
    feed.on('cluster', event => {
      this.clusters.apply(event);
      if (eventsAffectingChildren.has(event.type)) this.touch(idOf(event), event.position);
      on.cluster(idOf(event), event);
    });
    feed.on('nodeGroupTemplate', event => void this.groupTemplates.apply(event));
    feed.on('clusterGroups', event => {
      this.registry.apply(event);
      on.cluster(idOf(event), event);
    });
    feed.on('nodeGroup', event => {
      this.groups.apply(event);
      this.indexGroup(idOf(event), event);
      on.group(idOf(event), event);
    });
    feed.on('node', event => {
      this.nodes.apply(event);
      this.countNode(idOf(event), event.position);
      on.node(idOf(event), event);
    });
    feed.on('placement', event => {
      const { nodeId, nodeRevision = -1, reason = '' } = event.data as Partial<NodeEvictionFailed['data']>;
      if (nodeId === undefined) return;
      if (event.type === 'PlacementNodeOpened') this.evictedAt.delete(nodeId);
      if (event.type === 'NodeEvictionCompleted') this.evictedAt.set(nodeId, nodeRevision);
      else if (event.type === 'NodeEvictionFailed') this.notEvicted.set(nodeId, { revision: nodeRevision, reason });
      else return;
      on.node(nodeId, event);
    });
  }

  groupsOf(clusterId: string): readonly string[] {
    return [...(this.byCluster.get(clusterId) ?? [])];
  }

  readyIn(groupId: string): number {
    return this.ready.get(groupId)?.size ?? 0;
  }

  /** Whether the cluster is to have managers, and none stands yet. */
  awaitsManager(clusterId: string): boolean {
    const neverCreated = this.clusters.get(clusterId)?.created?.groups ?? [];
    const coming = neverCreated.filter(({ id, spec }) => isManaging(spec) && !this.groups.get(id)?.declared);
    const managing = this.groupsOf(clusterId).filter(id => {
      const { spec, deleting } = this.groups.get(id) ?? {};
      return spec !== undefined && isManaging(spec) && !deleting;
    });
    return coming.length + managing.length > 0 && managing.every(id => this.readyIn(id) === 0);
  }

  /** Position of the last event that is not in a resource's own stream but shows in its document. */
  touchedAt(id: string): number {
    return this.touched.get(id) ?? -1;
  }

  isReady(id: string): boolean {
    const node = this.nodes.get(id);
    return node !== undefined && isNodeInService(node);
  }

  private indexGroup(id: string, event: RecordedEvent): void {
    const group = this.groups.get(id);
    const clusterId = group?.declared?.clusterId;
    if (clusterId === undefined) return;
    const ids = this.byCluster.get(clusterId) ?? new Set();
    this.byCluster.set(clusterId, ids);
    if (group?.deleted) ids.delete(id);
    else ids.add(id);
    if (event.type === 'NodeGroupUpdated') this.touch(`attributes-${id}`, event.position);
  }

  private countNode(id: string, position: number): void {
    const groupId = this.nodes.get(id)?.declared?.nodeGroupId;
    if (groupId === undefined) return;
    const ready = this.ready.get(groupId) ?? new Set();
    this.ready.set(groupId, ready);
    const was = ready.has(id);
    const is = this.isReady(id);
    if (was === is) return;
    if (is) ready.add(id);
    else ready.delete(id);
    this.touch(groupId, Math.max(position, this.nodes.entry(id)?.position ?? -1));
  }

  private touch(id: string, position: number): void {
    this.touched.set(id, Math.max(position, this.touchedAt(id)));
  }
}

const isManaging = ({ role, count }: NodeGroupSpec): boolean => role === 'manager' && count > 0;
