import { Injectable } from '@nestjs/common';
import type { ClusterState, ContainerProfileState, ContainerSetState, ContainerState, NodeState } from '@stave/domain';
import { Feed, finderOf, Names, ProjectNames, type Finder } from '@stave/service-kit';
import { SchedulerProjection } from './scheduler.projection.js';

/** Finds resources of the requester by id or name, and reserves names. */
@Injectable()
export class SchedulerLookup {
  readonly cluster: Finder<ClusterState>;
  readonly node: Finder<NodeState>;
  readonly profile: Finder<ContainerProfileState>;
  readonly container: Finder<ContainerState>;
  readonly set: Finder<ContainerSetState>;
  readonly profileNames: ProjectNames<ContainerProfileState>;
  readonly containerNames: ProjectNames<ContainerState>;
  readonly setNames: ProjectNames<ContainerSetState>;

  constructor({ clusters, nodes, profiles, containers, sets }: SchedulerProjection, feed: Feed, names: Names) {
    this.cluster = finderOf(feed, clusters, ({ created }) => created);
    this.node = finderOf(feed, nodes, ({ declared }) => declared);
    this.profile = finderOf(feed, profiles, ({ created }) => created);
    this.container = finderOf(feed, containers, ({ declared }) => declared);
    this.set = finderOf(feed, sets, ({ declared }) => declared);
    this.profileNames = new ProjectNames(names, profiles, ({ created }) => created);
    this.containerNames = new ProjectNames(names, containers, ({ declared }) => declared);
    this.setNames = new ProjectNames(names, sets, ({ declared }) => declared);
  }
}
