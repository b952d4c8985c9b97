import type { RequestMeta } from '@stave/contracts';
import type { ClusterState, ContainerProfileState, ContainerState, NodeState } from '@stave/domain';
import { findResource, type Named } from '@stave/service-kit';
import type { SchedulerModels } from './scheduler-models.js';

/** Resolves ids and names of the requester's own; sees everything that was acknowledged before the request. */
export class ResourceLookup {
  constructor(
    private readonly models: SchedulerModels,
    private readonly caughtUp: () => Promise<void>,
  ) {}

  cluster({ actor }: RequestMeta, ref: string): Promise<Named<ClusterState>> {
    const { clusters: model } = this.models;
    return findResource(actor, ref, { what: 'the cluster', model, identity: s => s.created }, this.caughtUp);
  }

  node({ actor }: RequestMeta, ref: string): Promise<Named<NodeState>> {
    const { nodes: model } = this.models;
    return findResource(actor, ref, { what: 'the node', model, identity: s => s.declared }, this.caughtUp);
  }

  profile({ actor }: RequestMeta, ref: string): Promise<Named<ContainerProfileState>> {
    const { profiles: model } = this.models;
    return findResource(actor, ref, { what: 'the container profile', model, identity: s => s.created }, this.caughtUp);
  }

  container({ actor }: RequestMeta, ref: string): Promise<Named<ContainerState>> {
    const { containers: model } = this.models;
    return findResource(actor, ref, { what: 'the container', model, identity: s => s.declared }, this.caughtUp);
  }
}
