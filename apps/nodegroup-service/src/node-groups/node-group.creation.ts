import { Injectable } from '@nestjs/common';
import { RefusedError, type CommandResult, type RequestMeta } from '@stave/contracts';
import {
  createNodeGroup,
  notFound,
  clusterWorkRefusal,
  pausedRefusal,
  type ClusterSpecification,
  type ClusterState,
  type GroupDeclaration,
  type NodeGroupDeclaration,
  type NodeGroupState,
} from '@stave/domain';
import {
  Feed,
  NodeGroupSources,
  RefusedReferences,
  ReplyWithPosition,
  requestContext,
  RequestLedger,
  RingFollower,
  type AcceptedRequest,
  type Named,
  type RequestIds,
} from '@stave/service-kit';
import { FleetLookup } from '../fleet/fleet.lookup.js';
import { FleetProjection } from '../fleet/fleet.projection.js';
import { NodeGroupRegistry } from './node-group-registry.js';
import { nodeGroupFields } from './node-group.document.js';
import { resolveNodeGroupRequest, type NodeGroupInput } from './resolve-node-group-request.js';

/** The cluster of a new node group. */
interface Parent extends Named<ClusterState> {
  readonly spec: ClusterSpecification;
  readonly projectId: string;
}

interface ResolvedRequest {
  readonly cluster: Parent;
  readonly group: GroupDeclaration;
}

/** Creates node groups in existing clusters: from attributes, a template, another group, or a mix. */
@Injectable()
export class NodeGroupCreation {
  private readonly sources: NodeGroupSources;

  constructor(
    private readonly ledger: RequestLedger,
    private readonly ring: RingFollower,
    private readonly projection: FleetProjection,
    private readonly lookup: FleetLookup,
    private readonly registry: NodeGroupRegistry,
    feed: Feed,
  ) {
    this.sources = new NodeGroupSources(projection, () => feed.caughtUp());
  }

  /** A repeat answers as the first request, even if the source was changed or deleted: its values are stored with the request. */
  async run(meta: RequestMeta, body: NodeGroupInput): Promise<ReplyWithPosition<CommandResult>> {
    const newIds = this.ledger.newIds(meta);
    let resolved: ResolvedRequest | undefined;
    return this.ledger.first(
      meta,
      body,
      async (ids, repeat) => {
        // resolved with the ids of this request; a repeat has the ids of the first one
        if (!repeat && resolved) return this.create(meta, ids, resolved);
        const done = await this.projection.groups.asAccepted(ids.resourceId, ids.requestId);
        if (done) return created(done.state, ids, done.position);
        return this.create(meta, ids, await this.resolve(meta, body, ids));
      },
      async () => {
        resolved = await this.resolve(meta, body, newIds);
        return body.from ? { ...newIds, plan: resolved.group } : newIds;
      },
    );
  }

  /** Resolves the request, or returns what it resolved to when it was stored. Throws RefusedError. */
  private async resolve(meta: RequestMeta, body: NodeGroupInput, ids: AcceptedRequest): Promise<ResolvedRequest> {
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

  private async create(
    meta: RequestMeta,
    ids: AcceptedRequest,
    { cluster, group }: ResolvedRequest,
  ): Promise<ReplyWithPosition<CommandResult>> {
    const declaration = declarationOf(group, cluster, ids);
    const context = requestContext(meta, ids, cluster.projectId, cluster.id);
    await this.registry.register(cluster.id, cluster.state, declaration, context);
    const { state, position } = await this.projection.groups.create(
      declaration.id,
      s => s.declared !== undefined,
      () => createNodeGroup(declaration),
      context,
    );
    return created(state, ids, position);
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

function declarationOf(
  group: GroupDeclaration,
  { id: clusterId, projectId }: Parent,
  { operationId }: RequestIds,
): NodeGroupDeclaration {
  const operation = { id: operationId, kind: 'node-group.create', total: group.spec.count };
  return { ...group, clusterId, projectId, operationId, operation };
}

const created = (
  state: NodeGroupState,
  { operationId }: RequestIds,
  position: number | undefined,
): ReplyWithPosition<CommandResult> =>
  new ReplyWithPosition({ resource: nodeGroupFields(state), operationId }, position);
