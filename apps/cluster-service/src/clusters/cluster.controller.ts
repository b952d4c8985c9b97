import { Controller, Inject } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, type RequestMeta, type ServiceRequest } from '@stave/contracts';
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
  holdsVolumes,
  idSequence,
  NamedFlavors,
  projectOf,
  RingFollower,
  valuesOf,
  type CommandReply,
  type FlavorAnswers,
  type RequestIds,
  type ResourceCommands,
} from '@stave/service-kit';
import { SourceFinder } from '../sources/source-finder.js';
import { decideAction, renewsNodes, type ClusterActionBody } from './cluster-actions.js';
import { ClusterLookup } from './cluster.lookup.js';
import { changesRollingOptions, patchProblems, requireServed, type ClusterPatch } from './cluster-patch.js';
import { ClusterProjection } from './cluster.projection.js';
import { clusterRequest, hasSources, type ClusterInput } from './cluster-request.js';
import { withSizes } from './flavor-sizes.js';
import { DefaultFlavorPatch } from './default-flavor-patch.js';
import { clusterResource, deletionOf } from './cluster.resource.js';
import { resolveClusterRequest, type ResolvedClusterRequest } from './resolve-cluster-request.js';

const on = (verb: string): string => commandSubject('cluster-service', 'cluster', verb);

interface Ref {
  readonly id: string;
}

interface PatchBody {
  readonly patch: ClusterPatch;
  readonly discardVolumes?: boolean;
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
    private readonly flavors: NamedFlavors,
  ) {}

  /** Creates a cluster with its node groups, in one event: from attributes, a template, another cluster, or a mix. */
  @MessagePattern(on('create'))
  create({ meta, body }: ServiceRequest<ClusterInput>): Promise<CommandReply> {
    const projectId = projectOf(meta.actor);
    const flavors = this.flavors.forRequest();
    return this.commands.create(meta, {
      body,
      starts: true,
      resolve: ids => (ids.resolved as ResolvedClusterRequest | undefined) ?? this.resolve(meta, body, ids, flavors),
      check: ({ name }) => this.lookup.requireFree({ projectId, name }),
      stored: resolved => (hasSources(body) || flavors.isUsed ? resolved : undefined),
      scope: (_resolved, { resourceId: clusterId }) => ({ projectId, clusterId }),
      before: ({ name }, context, { resourceId: id }) => this.lookup.reserve({ id, projectId, name }, context),
      beforeIsAhead: true,
      decide: (resolved, { resourceId: id, operationId }) => {
        const total = 1 + resolved.groups.reduce((sum, group) => sum + group.spec.count, 0);
        const operation = { id: operationId, kind: 'cluster.create', total };
        return createCluster({ ...resolved, id, projectId, operation });
      },
    });
  }

  @MessagePattern(on('patch'))
  patch({ meta, body: { id: ref, patch, discardVolumes } }: ServiceRequest<Ref & PatchBody>) {
    const { view } = this.ring;
    const flavor = new DefaultFlavorPatch(view, this.flavors.forRequest(), patch);
    let rolls = false;
    const allowed = discardVolumes ? { discardVolumes: true as const } : {};
    const decide = (state: ClusterState, { operationId: id }: RequestIds): Decision<ClusterEvent> => {
      const changes = flavor.changesOf(state.spec);
      return updateCluster(state, changes, {
        operation: { id, kind: 'cluster.update', total: 1 },
        problems: patchProblems(view, changes, state.spec, () => this.projection.hasNodes(state)),
        rollout: next =>
          (rolls = changesRollingOptions(view, state.spec, next))
            ? { id, kind: 'cluster.update', total: 1 + this.projection.nodeCounts(state.created.id).total, ...allowed }
            : undefined,
        ...omitUndefined({ ifMatch: meta.ifMatch }),
      });
    };
    return this.commands.change(meta, {
      find: () => this.lookup.find(meta, ref),
      body: { ...patch, ...(discardVolumes && { discardVolumes }) },
      starts: true,
      check: async (state, ids) => {
        if (!decide(state, ids).ok) return;
        requireServed(view, state.spec, patch);
        await flavor.learn(state);
        if (decide(state, ids).ok && rolls && !discardVolumes) this.requireNoVolumes(state.created.id);
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
    return this.commands.change(meta, {
      find: () => this.lookup.find(meta, ref),
      body,
      starts: true,
      check: state => {
        if (renewsNodes(state, body) && !body.discardVolumes) this.requireNoVolumes(state.created.id);
      },
      decide,
    });
  }

  /** Throws RefusedError `holds-volumes` where nodes of the cluster have the only data of volumes that are to be retained. */
  private requireNoVolumes(id: string): void {
    const names = this.projection.heldVolumes.inCluster(id);
    if (names.length > 0) throw holdsVolumes(names);
  }

  /** Resolves the request with its sources and its driver. Throws RefusedError with every broken rule. */
  private async resolve(
    meta: RequestMeta,
    body: ClusterInput,
    { resourceId }: RequestIds,
    flavors: FlavorAnswers,
  ): Promise<ResolvedClusterRequest> {
    const ids = { project: projectOf(meta.actor), cluster: resourceId, group: idSequence(valuesOf(meta), 'group') };
    const wanted = await this.sources.all(meta.actor, body, found =>
      resolveClusterRequest(this.ring.view, body.name, clusterRequest(body, found), ids),
    );
    return withSizes(wanted, flavors, { clusterId: resourceId, projectId: ids.project });
  }
}
