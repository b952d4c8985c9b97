import { Controller, Inject } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, type RequestMeta, type ServiceRequest } from '@stave/contracts';
import {
  createClusterTemplate,
  deleteClusterTemplate,
  omitUndefined,
  updateClusterTemplate,
  type ClusterTemplateState,
  type TemplatePatch,
} from '@stave/domain';
import {
  idSequence,
  projectOf,
  RingFollower,
  valuesOf,
  type CommandReply,
  type RequestIds,
  type ResourceCommands,
} from '@stave/service-kit';
import { clusterRequest, hasSources } from '../clusters/cluster-request.js';
import { SourceFinder } from '../sources/source-finder.js';
import { clusterTemplateResource } from './cluster-template.resource.js';
import {
  resolveClusterTemplateRequest,
  wantedDriver,
  type ClusterTemplateInput,
  type ResolvedClusterTemplate,
} from './resolve-template-request.js';
import { clusterTemplateFields, withGroups } from './template.document.js';
import {
  clusterTemplateProblems,
  clusterTemplateWarnings,
  driverWarnings,
  meantClusterPatch,
  offeredManifest,
  patchedClusterProblems,
  withWarnings,
} from './template-driver.js';
import { TemplateLookup } from './template.lookup.js';
import { TemplateProjection } from './template.projection.js';
import { TemplateReconciler } from './template.reconciler.js';

const on = (verb: string): string => commandSubject('cluster-service', 'cluster-template', verb);

interface Ref {
  readonly id: string;
}

/** Commands on cluster templates; they are complete when they are answered. */
@Controller()
export class ClusterTemplateController {
  constructor(
    @Inject(clusterTemplateResource.commands) private readonly commands: ResourceCommands<ClusterTemplateState>,
    private readonly projection: TemplateProjection,
    private readonly lookup: TemplateLookup,
    private readonly reconciler: TemplateReconciler,
    private readonly sources: SourceFinder,
    private readonly ring: RingFollower,
  ) {}

  /** Creates the template and the node group templates inside: from attributes, another template, a cluster, or a mix. */
  @MessagePattern(on('create'))
  create({ meta, body }: ServiceRequest<ClusterTemplateInput>): Promise<CommandReply> {
    const projectId = projectOf(meta.actor);
    const { clusterTemplates } = this.lookup;
    return this.commands.create(meta, {
      body,
      resolve: ids => (ids.resolved as ResolvedClusterTemplate | undefined) ?? this.resolve(meta, body, ids),
      check: ({ name }) => clusterTemplates.requireFree({ projectId, name }),
      stored: resolved => (hasSources(body) ? resolved : undefined),
      scope: () => ({ projectId }),
      before: ({ name }, context, { resourceId: id }) => clusterTemplates.reserve({ id, projectId, name }, context),
      beforeIsAhead: true,
      decide: (resolved, { resourceId: id }) => createClusterTemplate({ ...resolved, id, projectId }),
      after: async (state, context) => {
        const { clusterTemplates } = this.projection;
        const { id } = state.created;
        const { state: now } = clusterTemplates.entry(id) ?? (await clusterTemplates.load(id));
        return now?.deleted === true ? -1 : this.reconciler.createGroups(state, context);
      },
      show: state =>
        withWarnings(withGroups(state, state.created.groups), clusterTemplateWarnings(this.ring.view, state)),
    });
  }

  @MessagePattern(on('patch'))
  patch({ meta, body: { id: ref, patch } }: ServiceRequest<Ref & { readonly patch: TemplatePatch }>) {
    const { view } = this.ring;
    return this.commands.change(meta, {
      find: () => this.lookup.clusterTemplates.find(meta, ref),
      body: patch,
      decide: state =>
        updateClusterTemplate(state, meantClusterPatch(view, state.attributes, patch), {
          problems: attributes => patchedClusterProblems(view, { ...patch }, attributes),
          ...omitUndefined({ ifMatch: meta.ifMatch }),
        }),
      show: state => withWarnings(clusterTemplateFields(state), driverWarnings(view, state.attributes)),
    });
  }

  /** Deletes the template and the node group templates inside. */
  @MessagePattern(on('delete'))
  remove({ meta, body: { id: ref } }: ServiceRequest<Ref>): Promise<CommandReply> {
    return this.commands.change(meta, {
      find: () => this.lookup.clusterTemplates.find(meta, ref),
      body: { delete: true },
      decide: state => deleteClusterTemplate(state, meta.ifMatch),
      after: (state, context) => this.reconciler.deleteGroups(state, context),
    });
  }

  /** Throws RefusedError with every problem of the request. */
  private resolve(meta: RequestMeta, body: ClusterTemplateInput, ids: RequestIds): Promise<ResolvedClusterTemplate> {
    const group = idSequence(valuesOf(meta), 'group');
    return this.sources.all(meta.actor, body, found => {
      const request = clusterRequest(body, found);
      const manifest = offeredManifest(this.ring.view, wantedDriver(request));
      const problems = manifest ? clusterTemplateProblems(manifest, request) : [];
      return resolveClusterTemplateRequest(body, request, { template: ids.resourceId, group }, problems);
    });
  }
}
