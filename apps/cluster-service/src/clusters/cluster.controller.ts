import { Controller, Inject } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, RefusedError, type RequestMeta, type ServiceRequest } from '@stave/contracts';
import {
  createCluster,
  deleteCluster,
  omitUndefined,
  updateCluster,
  type ClusterEvent,
  type ClusterState,
  type Decision,
} from '@stave/domain';
import {
  idSequence,
  projectOf,
  RingFollower,
  valuesOf,
  type CommandReply,
  type EventContext,
  type RequestIds,
  type ResourceCommands,
} from '@stave/service-kit';
import { ProjectQuotas } from '../quotas/project-quotas.js';
import { SourceFinder } from '../sources/source-finder.js';
import { ONE_CLUSTER } from './cluster-plans.js';
import { decideAction, type ClusterActionBody } from './cluster-actions.js';
import { ClusterLookup } from './cluster.lookup.js';
import { changesOf, changesRollingOptions, patchProblems, requireServed, type ClusterPatch } from './cluster-patch.js';
import { ClusterProjection } from './cluster.projection.js';
import { clusterRequest, hasSources, type ClusterInput } from './cluster-request.js';
import { clusterResource, deletionOf } from './cluster.resource.js';
import { resolveClusterRequest, type ResolvedClusterRequest } from './resolve-cluster-request.js';

const on = (verb: string): string => commandSubject('cluster-service', 'cluster', verb);

interface Ref {
  readonly id: string;
}

/** Commands on clusters; each answers with the cluster as accepted. */
@Controller()
export class ClusterController {
  constructor(
    @Inject(clusterResource.commands) private readonly commands: ResourceCommands<ClusterState>,
    private readonly projection: ClusterProjection,
    private readonly lookup: ClusterLookup,
    private readonly sources: SourceFinder,
    private readonly ring: RingFollower,
    private readonly quotas: ProjectQuotas,
  ) {}

  /** Creates a cluster with its node groups, in one event: from attributes, a template, another cluster, or a mix. */
  @MessagePattern(on('create'))
  create({ meta, body }: ServiceRequest<ClusterInput>): Promise<CommandReply> {
    const projectId = projectOf(meta.actor);
    return this.commands.create(meta, {
      body,
      starts: true,
      resolve: ids => (ids.resolved as ResolvedClusterRequest | undefined) ?? this.resolve(meta, body, ids),
      check: async ({ name }, { resourceId: id }) => {
        await this.lookup.requireFree({ projectId, name });
        await this.quotas.require(projectId, this.demand(id));
      },
      stored: resolved => (hasSources(body) ? resolved : undefined),
      scope: (_resolved, { resourceId: clusterId }) => ({ projectId, clusterId }),
      before: ({ name }, context, { resourceId: id }) => this.reserve(meta, { id, projectId, name }, context),
      decide: (resolved, { resourceId: id, operationId }) => {
        const total = 1 + resolved.groups.reduce((sum, group) => sum + group.spec.count, 0);
        const operation = { id: operationId, kind: 'cluster.create', total };
        return createCluster({ ...resolved, id, projectId, operation });
      },
    });
  }

  @MessagePattern(on('patch'))
  patch({ meta, body: { id: ref, patch } }: ServiceRequest<Ref & { readonly patch: ClusterPatch }>) {
    const { view } = this.ring;
    const decide = (state: ClusterState, { operationId: id }: RequestIds): Decision<ClusterEvent> => {
      const changes = changesOf(state.spec, patch);
      return updateCluster(state, changes, {
        operation: { id, kind: 'cluster.update', total: 1 },
        problems: patchProblems(view, changes, state.spec, () => this.projection.hasNodes(state)),
        rollout: next =>
          changesRollingOptions(view, state.spec, next)
            ? { id, kind: 'cluster.update', total: 1 + this.projection.nodeCounts(state.created.id).total }
            : undefined,
        ...omitUndefined({ ifMatch: meta.ifMatch }),
      });
    };
    return this.commands.change(meta, {
      find: () => this.lookup.find(meta, ref),
      body: patch,
      starts: true,
      check: (state, ids) => {
        if (decide(state, ids).ok) requireServed(view, state.spec, patch);
      },
      decide,
    });
  }

  @MessagePattern(on('delete'))
  remove({ meta, body: { id: ref, force = false } }: ServiceRequest<Ref & { readonly force?: boolean }>) {
    const terms = { force, ...omitUndefined({ ifMatch: meta.ifMatch }) };
    return this.commands.change(meta, {
      find: () => this.lookup.find(meta, ref),
      body: force ? { delete: true, force } : { delete: true },
      starts: true,
      decide: (state, ids) => deleteCluster(state, { operation: deletionOf(this.projection, ids), ...terms }),
    });
  }

  @MessagePattern(on('action'))
  async action({ meta, body: { id: ref, ...body } }: ServiceRequest<Ref & ClusterActionBody>): Promise<CommandReply> {
    const decide = decideAction(this.ring.view, this.projection, meta, body);
    return this.commands.change(meta, { find: () => this.lookup.find(meta, ref), body, starts: true, decide });
  }

  /** Reserves room in the quotas of the project, and the name. */
  private async reserve(
    meta: RequestMeta,
    identity: { readonly id: string; readonly projectId: string; readonly name: string },
    context: EventContext,
  ): Promise<void> {
    const { id, projectId } = identity;
    await this.quotas.reserve(meta, projectId, this.demand(id), context);
    try {
      await this.lookup.reserve(identity, context);
    } catch (error) {
      // no other request has this id, unless the client repeats this one
      if (error instanceof RefusedError && !meta.dryRun && meta.idempotencyKey === undefined)
        await this.quotas.release(projectId, id, context);
      throw error;
    }
  }

  private demand(id: string) {
    return { id, stream: this.projection.clusters.stream(id), amounts: ONE_CLUSTER };
  }

  /** Resolves the request with its sources and its driver. Throws RefusedError with every broken rule. */
  private resolve(meta: RequestMeta, body: ClusterInput, { resourceId }: RequestIds): Promise<ResolvedClusterRequest> {
    const ids = { project: projectOf(meta.actor), cluster: resourceId, group: idSequence(valuesOf(meta), 'group') };
    return this.sources.all(meta.actor, body, found =>
      resolveClusterRequest(this.ring.view, body.name, clusterRequest(body, found), ids),
    );
  }
}
