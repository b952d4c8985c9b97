import { Injectable } from '@nestjs/common';
import type { ClusterState, ContainerProfileState, ContainerState, NodeState } from '@stave/domain';
import { Feed, finderOf, Names, ProjectNames, type Finder } from '@stave/service-kit';
import { SchedulerProjection } from './scheduler.projection.js';

/** Finds resources of the requester by id or name, and reserves names. */
@Injectable()
export class SchedulerLookup {
  readonly cluster: Finder<ClusterState>;
  readonly node: Finder<NodeState>;
  readonly profile: Finder<ContainerProfileState>;
  readonly container: Finder<ContainerState>;
  readonly profileNames: ProjectNames<ContainerProfileState>;
  readonly containerNames: ProjectNames<ContainerState>;

  constructor({ clusters, nodes, profiles, containers }: SchedulerProjection, feed: Feed, names: Names) {
    const profileKind = { what: 'the container profile', identity: ({ created }: ContainerProfileState) => created };
    const containerKind = { what: 'the container', identity: ({ declared }: ContainerState) => declared };
    this.cluster = finderOf(feed, 'the cluster', clusters, state => state.created);
    this.node = finderOf(feed, 'the node', nodes, state => state.declared);
    this.profile = finderOf(feed, profileKind.what, profiles, profileKind.identity);
    this.container = finderOf(feed, containerKind.what, containers, containerKind.identity);
    this.profileNames = new ProjectNames(names, profiles, profileKind);
    this.containerNames = new ProjectNames(names, containers, containerKind);
  }
}
