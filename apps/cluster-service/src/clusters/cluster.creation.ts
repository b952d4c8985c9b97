import { RefusedError, type CommandResult, type RequestMeta } from '@stave/contracts';
import { createCluster } from '@stave/domain';
import {
  ReplyWithPosition,
  projectOf,
  requestContext,
  type AcceptedRequest,
  type RequestIds,
  type ServiceRuntime,
  idSequence,
  valuesOf,
} from '@stave/service-kit';
import type { SourceFinder } from '../templates/source-finder.js';
import { shownCluster } from './cluster.document.js';
import type { ClusterModels } from './cluster-models.js';
import { clusterRequest, hasSources, type ClusterInput } from './cluster-request.js';
import { planCluster, type PlannedCluster } from './plan-cluster.js';

/** Creates clusters with their groups: from attributes, a template, another cluster, or a mix. */
export class ClusterCreation {
  constructor(
    private readonly runtime: ServiceRuntime,
    private readonly models: ClusterModels,
    private readonly sources: SourceFinder,
  ) {}

  /** A repeat answers as the first did, whatever became of the sources: what those gave is remembered with the request. */
  async run(meta: RequestMeta, body: ClusterInput): Promise<ReplyWithPosition<CommandResult>> {
    const fresh = this.runtime.newIds(meta);
    let planned: PlannedCluster | undefined;
    return this.runtime.ledger.first(
      meta,
      body,
      async (ids, repeat) => {
        const { resourceId: id, requestId, operationId } = ids;
        const done = repeat ? await this.models.clusters.asAccepted(id, requestId) : undefined;
        if (done) return new ReplyWithPosition({ resource: shownCluster(done.state), operationId }, done.position);
        const remembered = ids.plan as PlannedCluster | undefined;
        // what was planned here is of this request's own ids; a repeat has those of the first
        const own = repeat ? undefined : planned;
        return this.create(meta, ids, remembered ?? own ?? (await this.plan(meta, body, ids)));
      },
      async () => {
        planned = await this.plan(meta, body, fresh);
        // else its reservation says so
        if (meta.idempotencyKey !== undefined) await this.nameIsFree(projectOf(meta.actor), planned.name);
        return hasSources(body) ? { ...fresh, plan: planned } : fresh;
      },
    );
  }

  /** What the request comes to. Throws RefusedError when that cannot be. */
  async plan(meta: RequestMeta, body: ClusterInput, { resourceId }: RequestIds): Promise<PlannedCluster> {
    const ids = { cluster: resourceId, group: idSequence(valuesOf(meta), 'group') };
    return this.sources.all(meta.actor, body, found =>
      planCluster(this.runtime.ring.view, body.name, clusterRequest(body, found), ids),
    );
  }

  /** The cluster with its groups is one event, after its name. */
  private async create(
    meta: RequestMeta,
    ids: AcceptedRequest,
    planned: PlannedCluster,
  ): Promise<ReplyWithPosition<CommandResult>> {
    const { clusters } = this.models;
    const { resourceId: id, operationId } = ids;
    const projectId = projectOf(meta.actor);
    const context = requestContext(meta, ids, projectId, id);
    const owner = { targetId: id, targetStream: clusters.stream(id) };
    await this.runtime.names.reserve(`${projectId}|cluster`, planned.name, owner, context);
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

  private async nameIsFree(project: string, name: string): Promise<void> {
    const owner = await this.runtime.names.owner(`${project}|cluster`, name);
    if (!owner) return;
    const { state: holder } = await this.models.clusters.load(owner.targetId);
    if (!holder.created || holder.deleted) return;
    const detail = `the name ${name} is taken`;
    const errors = [{ pointer: '/name', code: 'name-taken', detail }];
    throw new RefusedError({ code: 'name-taken', kind: 'conflict', detail, errors });
  }
}
