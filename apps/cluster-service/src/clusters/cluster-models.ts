import {
  evolveCluster,
  evolveClusterGroups,
  evolveNodeGroup,
  groupView,
  initialCluster,
  initialClusterGroups,
  initialNodeGroup,
  type ClusterEvent,
  type ClusterGroupsEvent,
  type ClusterGroupsState,
  type ClusterState,
  type ClusterSurroundings,
  type GroupDeclaration,
  type GroupView,
  type NodeGroupEvent,
  type NodeGroupSpec,
  type NodeGroupState,
} from '@stave/domain';
import { ResourceModel, type EventStore, type RecordedEvent, type ServiceRuntime } from '@stave/platform';

interface NodeMark {
  readonly clusterId: string;
  readonly ready: boolean;
}

const idOf = (event: RecordedEvent): string => event.stream.slice(event.stream.indexOf('-') + 1);

/** Clusters, and what follows for them from the streams of groups, nodes and placement. */
export class ClusterModels {
  readonly clusters: ResourceModel<ClusterState>;
  readonly groups: ResourceModel<NodeGroupState>;
  private readonly registry: ResourceModel<ClusterGroupsState>;
  private readonly groupIds = new Map<string, Set<string>>();
  private readonly nodes = new Map<string, NodeMark>();
  private readonly counts = new Map<string, { total: number; ready: number; position: number }>();
  private readonly containersGone = new Set<string>();

  constructor(store: EventStore) {
    this.clusters = new ResourceModel(
      'cluster',
      { initial: initialCluster, evolve: (s, e, t) => evolveCluster(s, e as ClusterEvent, t) },
      store,
    );
    this.groups = new ResourceModel(
      'nodeGroup',
      { initial: initialNodeGroup, evolve: (s, e, t) => evolveNodeGroup(s, e as NodeGroupEvent, t) },
      store,
    );
    this.registry = new ResourceModel(
      'clusterGroups',
      { initial: initialClusterGroups, evolve: (s, e) => evolveClusterGroups(s, e as ClusterGroupsEvent) },
      store,
    );
  }

  follow(runtime: ServiceRuntime, onChange: (clusterId: string) => void): void {
    runtime.feed.on('cluster', event => {
      this.clusters.apply(event);
      onChange(idOf(event));
    });
    runtime.feed.on('clusterGroups', event => {
      this.registry.apply(event);
      onChange(idOf(event));
    });
    runtime.feed.on('nodeGroup', event => {
      this.groups.apply(event);
      const clusterId = this.groups.get(idOf(event))?.declared?.clusterId;
      if (clusterId === undefined) return;
      this.groupIds.set(clusterId, (this.groupIds.get(clusterId) ?? new Set()).add(idOf(event)));
      onChange(clusterId);
    });
    runtime.feed.on('node', event => this.countNode(idOf(event), event, onChange));
    runtime.feed.on('placement', event => {
      if (event.type !== 'ClusterContainersGone') return;
      this.containersGone.add(idOf(event));
      onChange(idOf(event));
    });
  }

  surroundings(clusterId: string): ClusterSurroundings {
    const view = (id: string): GroupView | undefined => {
      const group = this.groups.get(id);
      return group && groupView(group);
    };
    const groups = [...(this.groupIds.get(clusterId) ?? [])].flatMap(id => view(id) ?? []);
    return {
      group: view,
      groups,
      groupsGone: this.registry.get(clusterId)?.emptied ?? false,
      containersGone: this.containersGone.has(clusterId),
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

  nodeCounts(clusterId: string): { readonly total: number; readonly ready: number; readonly position: number } {
    return this.counts.get(clusterId) ?? { total: 0, ready: 0, position: -1 };
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

  private countNode(id: string, event: RecordedEvent, onChange: (clusterId: string) => void): void {
    const before = this.nodes.get(id);
    const clusterId = before?.clusterId ?? event.metadata.clusterId;
    if (clusterId === undefined) return;
    const after = markAfter(event.type, before, clusterId);
    if (before?.ready === after?.ready && (before === undefined) === (after === undefined)) return;
    if (after) this.nodes.set(id, after);
    else this.nodes.delete(id);
    const counts = this.counts.get(clusterId) ?? { total: 0, ready: 0, position: -1 };
    counts.total += Number(after !== undefined) - Number(before !== undefined);
    counts.ready += Number(after?.ready ?? false) - Number(before?.ready ?? false);
    counts.position = event.position;
    this.counts.set(clusterId, counts);
    onChange(clusterId);
  }
}

function markAfter(type: string, before: NodeMark | undefined, clusterId: string): NodeMark | undefined {
  if (type === 'NodeDeclared') return { clusterId, ready: false };
  if (type === 'NodeDeleted' || !before) return undefined;
  if (type === 'NodeBecameActive') return { clusterId, ready: true };
  if (type === 'NodeRemovalRequested' || type === 'NodeBecameUnreachable') return { clusterId, ready: false };
  return before;
}
