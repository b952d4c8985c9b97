import { Injectable } from '@nestjs/common';
import type { RequestMeta } from '@stave/contracts';
import type { ClusterState, ContainerProfileState, ContainerState, NodeState } from '@stave/domain';
import { Feed, findResource, type Named } from '@stave/service-kit';
import { SchedulerProjection } from './scheduler.projection.js';

/** Finds resources of the requester by id or name; sees everything that was acknowledged before the request. */
@Injectable()
export class SchedulerLookup {
  constructor(
    private readonly projection: SchedulerProjection,
    private readonly feed: Feed,
  ) {}

  cluster({ actor }: RequestMeta, ref: string): Promise<Named<ClusterState>> {
    const { clusters: model } = this.projection;
    return findResource(actor, ref, { what: 'the cluster', model, identity: s => s.created }, this.caughtUp);
  }

  node({ actor }: RequestMeta, ref: string): Promise<Named<NodeState>> {
    const { nodes: model } = this.projection;
    return findResource(actor, ref, { what: 'the node', model, identity: s => s.declared }, this.caughtUp);
  }

  profile({ actor }: RequestMeta, ref: string): Promise<Named<ContainerProfileState>> {
    const { profiles: model } = this.projection;
    return findResource(actor, ref, { what: 'the container profile', model, identity: s => s.created }, this.caughtUp);
  }

  container({ actor }: RequestMeta, ref: string): Promise<Named<ContainerState>> {
    const { containers: model } = this.projection;
    return findResource(actor, ref, { what: 'the container', model, identity: s => s.declared }, this.caughtUp);
  }

  private readonly caughtUp = (): Promise<void> => this.feed.caughtUp();
}
