import { Controller, Inject } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import {
  commandSubject,
  RefusedError,
  type RequestMeta,
  type ResourceDocument,
  type ServiceRequest,
} from '@stave/contracts';
import {
  createNodeGroupTemplate,
  deleteNodeGroupTemplate,
  omitUndefined,
  updateNodeGroupTemplate,
  type ClusterTemplateState,
  type Decision,
  type NodeGroupTemplateEvent,
  type NodeGroupTemplateState,
  type TemplatePatch,
} from '@stave/domain';
import {
  projectOf,
  RefusedReferences,
  RingFollower,
  type AcceptedRequest,
  type CommandReply,
  type EventContext,
  type Named,
  type ResourceCommands,
} from '@stave/service-kit';
import { SourceFinder } from '../sources/source-finder.js';
import { nodeGroupTemplateResource } from './node-group-template.resource.js';
import {
  resolveGroupTemplateRequest,
  type GroupTemplateInput,
  type ResolvedGroupTemplate,
} from './resolve-template-request.js';
import { groupTemplateFields } from './template.document.js';
import {
  groupTemplateProblems,
  groupWarnings,
  meantGroupPatch,
  offeredManifest,
  patchedGroupProblems,
  withWarnings,
} from './template-driver.js';
import { TemplateLookup } from './template.lookup.js';
import { TemplateNames, type NameScope } from './template-names.js';
import { TemplateReconciler } from './template.reconciler.js';

const on = (verb: string): string => commandSubject('cluster-service', 'node-group-template', verb);

interface Ref {
  readonly id: string;
}

/** `clusterTemplateId` moves the template into a cluster template; null moves it out. */
type GroupTemplatePatch = TemplatePatch & { readonly clusterTemplateId?: string | null };

/** A resolved node group template with the cluster template that it is created in. */
interface ScopedGroupTemplate {
  readonly template: ResolvedGroupTemplate;
  readonly projectId: string;
  readonly parent: Named<ClusterTemplateState> | undefined;
}

/** Another event was appended after the name for a move was reserved: the name has to be reserved again. */
class MoveSuperseded extends Error {}

const MOVE_RETRIES = 20;

/** Commands on node group templates; they are complete when they are answered. */
@Controller()
export class NodeGroupTemplateController {
  constructor(
    @Inject(nodeGroupTemplateResource.commands) private readonly commands: ResourceCommands<NodeGroupTemplateState>,
    private readonly lookup: TemplateLookup,
    private readonly names: TemplateNames,
    private readonly reconciler: TemplateReconciler,
    private readonly sources: SourceFinder,
    private readonly ring: RingFollower,
  ) {}

  /** Creates a node group template from attributes, another template, a node group, or a mix; in a cluster template or outside. */
  @MessagePattern(on('create'))
  create({ meta, body }: ServiceRequest<GroupTemplateInput>): Promise<CommandReply> {
    const scopeOf = ({ projectId, parent }: ScopedGroupTemplate): NameScope => ({
      projectId,
      clusterTemplateId: parent?.id ?? null,
    });
    return this.commands.create(meta, {
      body,
      resolve: ids => this.resolve(meta, body, ids),
      check: (scoped, { resourceId }) => this.names.check(scopeOf(scoped), scoped.template.name, resourceId),
      stored: ({ template }) => (body.from ? template : undefined),
      scope: ({ projectId }) => ({ projectId }),
      before: (scoped, context, { resourceId: id }) =>
        this.reserve(scoped.parent, scopeOf(scoped), { id, name: scoped.template.name }, context),
      decide: (scoped, { resourceId: id }) => createNodeGroupTemplate({ ...scoped.template, ...scopeOf(scoped), id }),
      show: state => this.shown(state),
    });
  }

  @MessagePattern(on('patch'))
  async patch({ meta, body }: ServiceRequest<Ref & { readonly patch: GroupTemplatePatch }>): Promise<CommandReply> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.change(meta, body.id, body.patch);
      } catch (error) {
        if (!(error instanceof MoveSuperseded) || attempt >= MOVE_RETRIES) throw error;
      }
    }
  }

  @MessagePattern(on('delete'))
  remove({ meta, body: { id: ref } }: ServiceRequest<Ref>): Promise<CommandReply> {
    return this.commands.change(meta, {
      find: () => this.lookup.groupTemplate(meta, ref),
      body: { delete: true },
      decide: state => deleteNodeGroupTemplate(state, meta.ifMatch),
    });
  }

  /** Where the template is moved, its name at the destination is reserved first, for the next event of its stream and no later one (ADR 11). */
  private change(meta: RequestMeta, ref: string, patch: GroupTemplatePatch): Promise<CommandReply> {
    let parent: Named<ClusterTemplateState> | undefined;
    let reservedFor: number | undefined;
    const decide = (state: NodeGroupTemplateState): Decision<NodeGroupTemplateEvent> => {
      if (reservedFor !== undefined && reservedFor !== state.eventCount) throw new MoveSuperseded();
      const scope = patch.clusterTemplateId === undefined ? {} : { clusterTemplateId: parent?.id ?? null };
      const { attributes: driven = {} } = parent?.state ?? this.lookup.parentOf(state) ?? {};
      return updateNodeGroupTemplate(
        state,
        { ...meantGroupPatch(this.ring.view, driven, patch), ...scope },
        {
          problems: attributes => patchedGroupProblems(this.ring.view, driven, { ...patch }, attributes),
          ...omitUndefined({ ifMatch: meta.ifMatch }),
        },
      );
    };
    return this.commands.change(meta, {
      find: () => this.lookup.groupTemplate(meta, ref),
      body: patch,
      check: async state => {
        reservedFor = undefined;
        const refused = new RefusedReferences();
        const { projectId } = state.created;
        parent = await refused.collect(this.lookup.parent(meta.actor, patch.clusterTemplateId ?? null, projectId));
        await refused.collect(accepted(decide(state)));
        refused.raise();
        const scope = destination(state, patch, parent);
        if (scope) await this.names.check(scope, state.created.name, state.created.id);
      },
      decide,
      before: async (state, context) => {
        const scope = destination(state, patch, parent);
        if (!scope) return;
        await this.reserve(parent, scope, state.created, context, state.eventCount);
        reservedFor = state.eventCount;
      },
      show: state => this.shown(state),
    });
  }

  /** Names inside a cluster template are reserved in order: first those that the cluster template was created with. */
  private async reserve(
    parent: Named<ClusterTemplateState> | undefined,
    scope: NameScope,
    template: { readonly id: string; readonly name: string },
    context: EventContext,
    asOf?: number,
  ): Promise<void> {
    if (parent) await this.reconciler.createGroups(parent.state, context);
    await this.names.take(scope, template, context, asOf);
  }

  /** Resolves the attributes and the cluster template of a creation. Throws RefusedError with every problem of the request. */
  private async resolve(
    { actor }: RequestMeta,
    body: GroupTemplateInput,
    { resourceId: id, resolved }: AcceptedRequest,
  ): Promise<ScopedGroupTemplate> {
    const refused = new RefusedReferences();
    const stored = resolved as ResolvedGroupTemplate | undefined;
    const source = stored || !body.from ? undefined : this.sources.nodeGroup(actor, body.from, '/from');
    const from = source && (await refused.collect(source));
    const parent = await refused.collect(this.lookup.parent(actor, body.clusterTemplateId ?? null));
    const { attributes = {} } = parent?.state ?? {};
    const manifest = offeredManifest(this.ring.view, attributes);
    const template =
      stored ??
      refused.with(() =>
        resolveGroupTemplateRequest(body, omitUndefined({ from, driver: attributes.driver }), id, layers =>
          manifest ? groupTemplateProblems(manifest, layers) : [],
        ),
      );
    refused.raise();
    return { template, parent, projectId: parent?.state.created.projectId ?? projectOf(actor) };
  }

  private shown(state: NodeGroupTemplateState): ResourceDocument {
    return withWarnings(groupTemplateFields(state), groupWarnings(this.ring.view, state, this.lookup.parentOf(state)));
  }
}

/** Returns where the patch moves the template; undefined when it stays. */
function destination(
  { created, clusterTemplateId }: NodeGroupTemplateState,
  patch: GroupTemplatePatch,
  parent: Named<ClusterTemplateState> | undefined,
): NameScope | undefined {
  const target = parent?.id ?? null;
  if (patch.clusterTemplateId === undefined || target === clusterTemplateId) return undefined;
  return { projectId: created.projectId, clusterTemplateId: target };
}

/** Throws RefusedError when the decision is a refusal. */
async function accepted(decision: Decision<NodeGroupTemplateEvent>): Promise<void> {
  if (!decision.ok) throw new RefusedError(decision.refusal);
}
