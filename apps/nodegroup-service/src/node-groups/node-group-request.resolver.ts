import { Injectable } from '@nestjs/common';
import { RefusedError, type RequestMeta } from '@stave/contracts';
import {
  clusterWorkRefusal,
  notFound,
  pausedRefusal,
  type ClusterSpecification,
  type ClusterState,
  type GroupDeclaration,
} from '@stave/domain';
import {
  Feed,
  NodeGroupSources,
  RefusedReferences,
  RingFollower,
  type AcceptedRequest,
  type Named,
} from '@stave/service-kit';
import { FleetLookup } from '../fleet/fleet.lookup.js';
import { FleetProjection } from '../fleet/fleet.projection.js';
import { NodeGroupRegistry } from './node-group-registry.js';
import { resolveNodeGroupRequest, type NodeGroupInput } from './resolve-node-group-request.js';

/** The cluster of a new node group. */
export interface Parent extends Named<ClusterState> {
  readonly spec: ClusterSpecification;
  readonly projectId: string;
}

export interface ResolvedRequest {
  readonly cluster: Parent;
  readonly group: GroupDeclaration;
}

/** Resolves requests to create node groups: the cluster, the source, every attribute, and whether the name is free. */
@Injectable()
export class NodeGroupRequestResolver {
  private readonly sources: NodeGroupSources;

  constructor(
    private readonly ring: RingFollower,
    private readonly lookup: FleetLookup,
    private readonly registry: NodeGroupRegistry,
    projection: FleetProjection,
    feed: Feed,
  ) {
    this.sources = new NodeGroupSources(projection, () => feed.caughtUp());
  }

  /** Returns what the request resolves to; for a request that was stored, what it resolved to then. Throws RefusedError. */
  async resolve(meta: RequestMeta, body: NodeGroupInput, ids: AcceptedRequest): Promise<ResolvedRequest> {
    const cluster = await this.parent(meta, body.clusterId);
    const stored = ids.plan as GroupDeclaration | undefined;
    if (stored) return { cluster, group: stored };
    const refused = new RefusedReferences();
    const source = body.from && this.sources.of(meta.actor, body.from, '/from', cluster.id);
    const from = source && (await refused.collect(source));
    const { view } = this.ring;
    const group = refused.with(() => resolveNodeGroupRequest(view, body, cluster.spec, ids.resourceId, from));
    await this.registry.requireRegistrable(cluster.id, cluster.state, group);
    return { cluster, group };
  }

  /** Throws RefusedError when the cluster accepts no new node groups. */
  private async parent(meta: RequestMeta, ref: string): Promise<Parent> {
    const cluster = await this.lookup.cluster(meta, ref);
    const { created, spec } = cluster.state;
    const refusal = clusterWorkRefusal(cluster.state) ?? pausedRefusal(cluster.state);
    if (!created || !spec || refusal) throw new RefusedError(refusal ?? notFound('the cluster'));
    return { ...cluster, spec, projectId: created.projectId };
  }
}
