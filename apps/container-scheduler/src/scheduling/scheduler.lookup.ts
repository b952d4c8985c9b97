import { Injectable } from '@nestjs/common';
import type {
  ClusterState,
  ContainerProfileState,
  ContainerSetState,
  ContainerState,
  NetworkState,
  NodeGroupState,
  NodeState,
  VolumeState,
} from '@stave/domain';
import {
  Feed,
  finderOf,
  findResource,
  Names,
  ProjectNames,
  type Finder,
  type Named,
  type ResourceModel,
  type Search,
} from '@stave/service-kit';
import { SchedulerProjection } from './scheduler.projection.js';

type InCluster<S> = (search: Search, ref: string, clusterRef?: string) => Promise<Named<S>>;

/** Finds resources of the requester by id or name, and reserves names. */
@Injectable()
export class SchedulerLookup {
  readonly cluster: Finder<ClusterState>;
  readonly node: Finder<NodeState>;
  readonly nodeGroup: Finder<NodeGroupState>;
  readonly profile: Finder<ContainerProfileState>;
  readonly container: Finder<ContainerState>;
  readonly set: Finder<ContainerSetState>;
  /** `clusterRef` limits the search to one cluster. */
  readonly network: InCluster<NetworkState>;
  readonly volume: InCluster<VolumeState>;
  readonly profileNames: ProjectNames<ContainerProfileState>;
  readonly containerNames: ProjectNames<ContainerState>;
  readonly setNames: ProjectNames<ContainerSetState>;

  constructor(
    projection: SchedulerProjection,
    private readonly feed: Feed,
    names: Names,
  ) {
    const { clusters, nodes, groups, profiles, containers, sets } = projection;
    this.cluster = finderOf(feed, clusters, ({ created }) => created);
    this.node = finderOf(feed, nodes, ({ declared }) => declared);
    this.nodeGroup = finderOf(feed, groups, ({ declared }) => declared);
    this.profile = finderOf(feed, profiles, ({ created }) => created);
    this.container = finderOf(feed, containers, ({ declared }) => declared);
    this.set = finderOf(feed, sets, ({ declared }) => declared);
    this.profileNames = new ProjectNames(names, profiles, ({ created }) => created);
    this.containerNames = new ProjectNames(names, containers, ({ declared }) => declared);
    this.setNames = new ProjectNames(names, sets, ({ declared }) => declared);
    const inCluster =
      <S extends NetworkState | VolumeState>(model: ResourceModel<S>): InCluster<S> =>
      async (search, ref, clusterRef) => {
        const kind = { model, identity: ({ declared }: S) => declared };
        if (clusterRef === undefined) return findResource(search, ref, kind, () => feed.caughtUp());
        const { id: clusterId } = await this.cluster(search, clusterRef);
        const ids = (): readonly string[] => projection.attachmentsByCluster.in(clusterId);
        const fits = ({ declared }: S): boolean => declared.clusterId === clusterId;
        return findResource(search, ref, { ...kind, ids, fits }, () => feed.caughtUp());
      };
    this.network = inCluster(projection.networks);
    this.volume = inCluster(projection.volumes);
  }

  /** Resolves when everything acknowledged before the call is known here. Throws RefusedError `catching-up` after 2 s. */
  caughtUp(): Promise<void> {
    return this.feed.caughtUp();
  }
}
