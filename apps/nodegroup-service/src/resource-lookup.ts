import type { RequestMeta } from '@stave/contracts';
import type { ClusterState, NodeGroupState, NodeState } from '@stave/domain';
import { findResource, type Named } from '@stave/service-kit';
import type { NodeGroupModels } from './nodegroup-models.js';

/** Resolves ids and names of the requester's own; sees everything that was acknowledged before the request. */
export class ResourceLookup {
  constructor(
    private readonly models: NodeGroupModels,
    private readonly caughtUp: () => Promise<void>,
  ) {}

  cluster({ actor }: RequestMeta, ref: string): Promise<Named<ClusterState>> {
    const { clusters: model } = this.models;
    return findResource(actor, ref, { what: 'the cluster', model, identity: s => s.created }, this.caughtUp);
  }

  async group(meta: RequestMeta, ref: string, clusterRef?: string): Promise<Named<NodeGroupState>> {
    const clusterId = clusterRef === undefined ? undefined : (await this.cluster(meta, clusterRef)).id;
    const within = clusterId === undefined ? {} : this.groupsOf(clusterId);
    const kind = { what: 'the node group', model: this.models.groups, identity: declared, ...within };
    return findResource(meta.actor, ref, kind, this.caughtUp);
  }

  node({ actor }: RequestMeta, ref: string): Promise<Named<NodeState>> {
    const { nodes: model } = this.models;
    return findResource(actor, ref, { what: 'the node', model, identity: s => s.declared }, this.caughtUp);
  }

  private groupsOf(clusterId: string) {
    return {
      ids: () => this.models.groupsOf(clusterId),
      fits: (state: NodeGroupState) => state.declared?.clusterId === clusterId,
    };
  }
}

const declared = (state: NodeGroupState): NodeGroupState['declared'] => state.declared;
