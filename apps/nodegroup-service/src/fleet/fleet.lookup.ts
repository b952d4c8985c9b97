import { Injectable } from '@nestjs/common';
import { RefusedError, type RequestMeta } from '@stave/contracts';
import {
  clusterWorkRefusal,
  pausedRefusal,
  type ClusterState,
  type NodeGroupState,
  type NodeState,
} from '@stave/domain';
import { Feed, findResource, type Named } from '@stave/service-kit';
import { FleetProjection } from './fleet.projection.js';

/** Finds resources of the requester by id or name; sees everything that was acknowledged before the request. */
@Injectable()
export class FleetLookup {
  constructor(
    private readonly projection: FleetProjection,
    private readonly feed: Feed,
  ) {}

  cluster({ actor }: RequestMeta, ref: string): Promise<Named<ClusterState>> {
    const { clusters: model } = this.projection;
    return findResource(actor, ref, { what: 'the cluster', model, identity: s => s.created }, this.caughtUp);
  }

  /** `clusterRef` limits the search to one cluster. */
  async group({ actor, ...meta }: RequestMeta, ref: string, clusterRef?: string): Promise<Named<NodeGroupState>> {
    const { groups: model } = this.projection;
    const kind = { what: 'the node group', model, identity: (s: NodeGroupState) => s.declared };
    if (clusterRef === undefined) return findResource(actor, ref, kind, this.caughtUp);
    const { id: clusterId } = await this.cluster({ actor, ...meta }, clusterRef);
    const ids = (): readonly string[] => this.projection.groupsOf(clusterId);
    const fits = ({ declared }: NodeGroupState): boolean => declared?.clusterId === clusterId;
    return findResource(actor, ref, { ...kind, ids, fits }, this.caughtUp);
  }

  node({ actor }: RequestMeta, ref: string): Promise<Named<NodeState>> {
    const { nodes: model } = this.projection;
    return findResource(actor, ref, { what: 'the node', model, identity: s => s.declared }, this.caughtUp);
  }

  /**
   * Throws RefusedError `paused`, or `cluster-failed`, where the cluster accepts no changes of its nodes. A failed cluster accepts
   * removals; groups of a cluster that is being deleted refuse changes themselves.
   */
  async requireAccepting(clusterId: string | undefined, change: 'work' | 'removal' = 'work'): Promise<void> {
    if (clusterId === undefined) return;
    const { state } = await this.projection.clusters.load(clusterId);
    const refusal = changeRefusal(state);
    if (refusal && (change === 'work' || refusal.code !== 'cluster-failed')) throw new RefusedError(refusal);
  }

  private readonly caughtUp = (): Promise<void> => this.feed.caughtUp();
}

/** Returns why nodes of the cluster cannot be changed now: it is paused or has failed. */
export function changeRefusal(cluster: ClusterState): ReturnType<typeof pausedRefusal> {
  const refusal = clusterWorkRefusal(cluster);
  return pausedRefusal(cluster) ?? (refusal?.code === 'cluster-failed' ? refusal : undefined);
}
