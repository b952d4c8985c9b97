import { Injectable } from '@nestjs/common';
import type { ClusterState, ContainerProfileState, ContainerState, NodeState } from '@stave/domain';
import { Feed, finderOf, type Finder } from '@stave/service-kit';
import { SchedulerProjection } from './scheduler.projection.js';

/** Finds resources of the requester by id or name. */
@Injectable()
export class SchedulerLookup {
  readonly cluster: Finder<ClusterState>;
  readonly node: Finder<NodeState>;
  readonly profile: Finder<ContainerProfileState>;
  readonly container: Finder<ContainerState>;

  constructor({ clusters, nodes, profiles, containers }: SchedulerProjection, feed: Feed) {
    this.cluster = finderOf(feed, 'the cluster', clusters, state => state.created);
    this.node = finderOf(feed, 'the node', nodes, state => state.declared);
    this.profile = finderOf(feed, 'the container profile', profiles, state => state.created);
    this.container = finderOf(feed, 'the container', containers, state => state.declared);
  }
}
