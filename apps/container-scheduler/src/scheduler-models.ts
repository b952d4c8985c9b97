import {
  clusterStream,
  containerProfileStream,
  containerStream,
  isPending,
  nodeGroupStream,
  nodeStream,
  type ClusterState,
  type ContainerProfileState,
  type ContainerState,
  type NodeGroupState,
  type NodeState,
} from '@stave/domain';
import { idOf, type EventStore, type RecordedEvent } from '@stave/platform';
import { ResourceModel, type Folded, type EventFeed } from '@stave/service-kit';
import { IdGroups } from './placement/id-groups.js';
import { PlacementLedger } from './placement/placement-ledger.js';

export interface Followers {
  profile(id: string): void;
  container(id: string, event: RecordedEvent): void;
  node(id: string, event: RecordedEvent): void;
  group(id: string, event: RecordedEvent): void;
  cluster(id: string, event: RecordedEvent): void;
}

/** Everything that the scheduler knows, folded from the log: its own profiles, containers and room, and what it follows of clusters. */
export class SchedulerModels {
  readonly profiles: ResourceModel<ContainerProfileState>;
  readonly containers: ResourceModel<ContainerState>;
  readonly nodes: ResourceModel<NodeState>;
  readonly groups: ResourceModel<NodeGroupState>;
  readonly clusters: ResourceModel<ClusterState>;
  readonly placement: PlacementLedger;
  /** Containers that exist, by cluster; those that wait for a place, by cluster; those that are somewhere, by node. */
  readonly inCluster = new IdGroups();
  readonly pending = new IdGroups();
  readonly onNode = new IdGroups();
  readonly nodesOf = new IdGroups();

  get folded(): Folded['folded'] {
    const { profiles, containers, nodes, groups, clusters, placement, inCluster, pending, onNode, nodesOf } = this;
    return { profiles, containers, nodes, groups, clusters, placement, inCluster, pending, onNode, nodesOf };
  }

  constructor(store: EventStore) {
    this.profiles = new ResourceModel(containerProfileStream, store);
    this.containers = new ResourceModel(containerStream, store);
    this.nodes = new ResourceModel(nodeStream, store);
    this.groups = new ResourceModel(nodeGroupStream, store);
    this.clusters = new ResourceModel(clusterStream, store);
    this.placement = new PlacementLedger(store);
  }

  follow({ feed }: { readonly feed: EventFeed }, on: Followers): void {
    feed.on('placement', event => this.placement.apply(event));
    feed.on('containerProfile', event => {
      this.profiles.apply(event);
      on.profile(idOf(event));
    });
    feed.on('container', event => {
      this.containers.apply(event);
      this.indexContainer(idOf(event));
      on.container(idOf(event), event);
    });
    feed.on('nodeGroup', event => {
      this.groups.apply(event);
      on.group(idOf(event), event);
    });
    feed.on('node', event => {
      this.nodes.apply(event);
      this.nodesOf.put(idOf(event), this.nodes.get(idOf(event))?.declared?.clusterId);
      on.node(idOf(event), event);
    });
    feed.on('cluster', event => {
      this.clusters.apply(event);
      on.cluster(idOf(event), event);
    });
  }

  private indexContainer(id: string): void {
    const state = this.containers.get(id);
    if (!state) return;
    const clusterId = state.declared?.clusterId;
    this.inCluster.put(id, state.deleted ? undefined : clusterId);
    this.pending.put(id, isPending(state) ? clusterId : undefined);
    this.onNode.put(id, state.deleted ? undefined : state.nodeId);
  }
}
