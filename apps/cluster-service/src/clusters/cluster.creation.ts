import { Injectable } from '@nestjs/common';
import type { CommandResult, RequestMeta } from '@stave/contracts';
import { createCluster } from '@stave/domain';
import {
  idSequence,
  Names,
  projectOf,
  ReplyWithPosition,
  requestContext,
  RequestLedger,
  RingFollower,
  valuesOf,
  type AcceptedRequest,
  type RequestIds,
} from '@stave/service-kit';
import { SourceFinder } from '../sources/source-finder.js';
import { shownCluster } from './cluster.document.js';
import { ClusterLookup, clusterNames } from './cluster.lookup.js';
import { ClusterProjection } from './cluster.projection.js';
import { clusterRequest, hasSources, type ClusterInput } from './cluster-request.js';
import { planCluster, type PlannedCluster } from './plan-cluster.js';

/** Creates clusters with their groups: from attributes, a template, another cluster, or a mix. */
@Injectable()
export class ClusterCreation {
  constructor(
    private readonly ledger: RequestLedger,
    private readonly ring: RingFollower,
    private readonly names: Names,
    private readonly projection: ClusterProjection,
    private readonly lookup: ClusterLookup,
    private readonly sources: SourceFinder,
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
        return this.create(meta, ids, remembered ?? own ?? (await this.plan(meta, body, ids)));
      },
      async () => {
        planned = await this.plan(meta, body, fresh);
        // without a key the reservation refuses it
        if (meta.idempotencyKey !== undefined) await this.lookup.requireFreeName(projectOf(meta.actor), planned.name);
        return hasSources(body) ? { ...fresh, plan: planned } : fresh;
      },
    );
  }

  /** What the request comes to. Throws RefusedError when that cannot be. */
  async plan(meta: RequestMeta, body: ClusterInput, { resourceId }: RequestIds): Promise<PlannedCluster> {
    const ids = { cluster: resourceId, group: idSequence(valuesOf(meta), 'group') };
    return this.sources.all(meta.actor, body, found =>
      planCluster(this.ring.view, body.name, clusterRequest(body, found), ids),
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
