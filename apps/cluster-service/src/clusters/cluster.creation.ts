import { Injectable } from '@nestjs/common';
import type { CommandResult, RequestMeta } from '@stave/contracts';
import { createCluster } from '@stave/domain';
import {
  Names,
  projectOf,
  ReplyWithPosition,
  requestContext,
  RequestLedger,
  type AcceptedRequest,
} from '@stave/service-kit';
import { shownCluster } from './cluster.document.js';
import { ClusterLookup, clusterNames } from './cluster.lookup.js';
import { ClusterProjection } from './cluster.projection.js';
import { hasSources, type ClusterInput } from './cluster-request.js';
import type { PlannedCluster } from './plan-cluster.js';
import { ClusterResolver } from './cluster.resolver.js';

/** Creates clusters with their groups: from attributes, a template, another cluster, or a mix. */
@Injectable()
export class ClusterCreation {
  constructor(
    private readonly ledger: RequestLedger,
    private readonly names: Names,
    private readonly projection: ClusterProjection,
    private readonly lookup: ClusterLookup,
    private readonly resolver: ClusterResolver,
  ) {}

  /** A repeat answers as the first did, whatever became of the sources: what those gave is remembered with the request. */
  async run(meta: RequestMeta, body: ClusterInput): Promise<ReplyWithPosition<CommandResult>> {
    const fresh = this.ledger.newIds(meta);
    let planned: PlannedCluster | undefined;
    return this.ledger.first(
      meta,
      body,
      async (ids, repeat) => {
        const { resourceId: id, requestId, operationId } = ids;
        const done = repeat ? await this.projection.clusters.asAccepted(id, requestId) : undefined;
        if (done) return new ReplyWithPosition({ resource: shownCluster(done.state), operationId }, done.position);
        const remembered = ids.plan as PlannedCluster | undefined;
        // what was planned here is of this request's own ids; a repeat has those of the first
        const own = repeat ? undefined : planned;
        return this.create(meta, ids, remembered ?? own ?? (await this.resolver.plan(meta, body, ids)));
      },
      async () => {
        planned = await this.resolver.plan(meta, body, fresh);
        // without a key the reservation refuses it
        if (meta.idempotencyKey !== undefined) await this.lookup.requireFreeName(projectOf(meta.actor), planned.name);
        return hasSources(body) ? { ...fresh, plan: planned } : fresh;
      },
    );
  }

  /** The cluster with its groups is one event, after its name. */
  private async create(
    meta: RequestMeta,
    ids: AcceptedRequest,
    planned: PlannedCluster,
  ): Promise<ReplyWithPosition<CommandResult>> {
    const { clusters } = this.projection;
    const { resourceId: id, operationId } = ids;
    const projectId = projectOf(meta.actor);
    const context = requestContext(meta, ids, projectId, id);
    const owner = { targetId: id, targetStream: clusters.stream(id) };
    await this.names.reserve(clusterNames(projectId), planned.name, owner, context);
    const total = 1 + planned.groups.reduce((sum, g) => sum + g.spec.count, 0);
    const operation = { id: operationId, kind: 'cluster.create', total };
    const { state, position } = await clusters.create(
      id,
      s => s.created !== undefined,
      () => createCluster({ ...planned, id, projectId, operation }),
      context,
    );
    return new ReplyWithPosition({ resource: shownCluster(state), operationId }, position);
  }
}
