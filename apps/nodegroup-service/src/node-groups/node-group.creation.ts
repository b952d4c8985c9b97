import { Injectable } from '@nestjs/common';
import type { CommandResult, RequestMeta } from '@stave/contracts';
import { createNodeGroup, type NodeGroupState } from '@stave/domain';
import {
  ReplyWithPosition,
  requestContext,
  RequestLedger,
  type AcceptedRequest,
  type RequestIds,
} from '@stave/service-kit';
import { FleetProjection } from '../fleet/fleet.projection.js';
import { NodeGroupRegistry } from './node-group-registry.js';
import { NodeGroupRequestResolver, type ResolvedRequest } from './node-group-request.resolver.js';
import { nodeGroupFields } from './node-group.document.js';
import type { NodeGroupInput } from './resolve-node-group-request.js';

/** Creates node groups in existing clusters: from attributes, a template, another group, or a mix. */
@Injectable()
export class NodeGroupCreation {
  constructor(
    private readonly ledger: RequestLedger,
    private readonly projection: FleetProjection,
    private readonly registry: NodeGroupRegistry,
    private readonly requests: NodeGroupRequestResolver,
  ) {}

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
        return this.create(meta, ids, await this.requests.resolve(meta, body, ids));
      },
      async () => {
        resolved = await this.requests.resolve(meta, body, newIds);
        return body.from ? { ...newIds, plan: resolved.group } : newIds;
      },
    );
  }

  private async create(
    meta: RequestMeta,
    ids: AcceptedRequest,
    { cluster, group }: ResolvedRequest,
  ): Promise<ReplyWithPosition<CommandResult>> {
    const { operationId } = ids;
    const { id: clusterId, projectId } = cluster;
    const operation = { id: operationId, kind: 'node-group.create', total: group.spec.count };
    const declaration = { ...group, clusterId, projectId, operationId, operation };
    const context = requestContext(meta, ids, projectId, clusterId);
    await this.registry.register(clusterId, cluster.state, declaration, context);
    const { state, position } = await this.projection.groups.create(
      group.id,
      s => s.declared !== undefined,
      () => createNodeGroup(declaration),
      context,
    );
    return created(state, ids, position);
  }
}

const created = (
  state: NodeGroupState,
  { operationId }: RequestIds,
  position: number | undefined,
): ReplyWithPosition<CommandResult> =>
  new ReplyWithPosition({ resource: nodeGroupFields(state), operationId }, position);
