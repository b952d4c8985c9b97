import { Injectable } from '@nestjs/common';
import type { CommandResult, RequestMeta } from '@stave/contracts';
import { createNodeGroupTemplate, type ClusterTemplateState, type NodeGroupTemplateState } from '@stave/domain';
import {
  ReplyWithPosition,
  projectOf,
  requestContext,
  RefusedReferences,
  RequestLedger,
  type AcceptedRequest,
  type Named,
  type RequestIds,
} from '@stave/service-kit';
import { groupTemplateFields } from './template.document.js';
import { withWarnings } from './template-driver.js';
import { GroupTemplateResolver } from './group-template.resolver.js';
import type { GroupTemplateInput, PlannedGroupTemplate } from './plan-template.js';
import { GroupsInside } from './groups-inside.js';
import { TemplateNames } from './template-names.js';
import { TemplateParents } from './template-parents.js';
import { TemplateProjection } from './template.projection.js';

type Answer = Promise<ReplyWithPosition<CommandResult>>;

/** A resolved node group template with the cluster template that it is created in. */
interface PlacedGroupTemplate {
  readonly planned: PlannedGroupTemplate;
  readonly projectId: string;
  readonly parent?: Named<ClusterTemplateState>;
}

/** Creates node group templates: from attributes, another template, a node group, or a mix; free-standing or in a cluster template. */
@Injectable()
export class GroupTemplateCreation {
  constructor(
    private readonly ledger: RequestLedger,
    private readonly projection: TemplateProjection,
    private readonly resolver: GroupTemplateResolver,
    private readonly names: TemplateNames,
    private readonly parents: TemplateParents,
    private readonly inside: GroupsInside,
  ) {}

  /** A repeat gets the first answer, whatever happened to the source since. */
  async run(meta: RequestMeta, body: GroupTemplateInput): Answer {
    const fresh = this.ledger.newIds(meta);
    let own: PlacedGroupTemplate | undefined;
    return this.ledger.first(
      meta,
      body,
      async (ids, repeat) => {
        const { resourceId: id, requestId } = ids;
        const done = repeat ? await this.projection.groupTemplates.asAccepted(id, requestId) : undefined;
        if (done) return this.answer(done);
        const remembered = ids.plan as PlannedGroupTemplate | undefined;
        const placed = (repeat ? undefined : own) ?? (await this.place(meta, body, ids, remembered));
        return this.create(meta, ids, placed);
      },
      async () => {
        own = await this.place(meta, body, fresh, undefined);
        const { projectId, parent, planned } = own;
        await this.names.check({ projectId, clusterTemplateId: parent?.id ?? null }, planned.name, fresh.resourceId);
        return body.from ? { ...fresh, plan: planned } : fresh;
      },
    );
  }

  /** Resolves the template and its parent; `remembered` is the result of the first request. Throws RefusedError. */
  private async place(
    { actor }: RequestMeta,
    body: GroupTemplateInput,
    { resourceId: id }: RequestIds,
    remembered: PlannedGroupTemplate | undefined,
  ): Promise<PlacedGroupTemplate> {
    const refused = new RefusedReferences();
    const from = remembered ? undefined : await refused.collect(this.resolver.source(actor, body));
    const parent = await refused.collect(this.parents.find(actor, body.clusterTemplateId ?? null));
    const planned = remembered ?? (await refused.collect(this.resolver.resolve(body, id, from, parent?.state)));
    refused.raise();
    const projectId = parent?.state.created?.projectId ?? projectOf(actor);
    if (!planned) throw new Error('what was refused is thrown');
    return { planned, projectId, ...(parent ? { parent } : {}) };
  }

  private async create(
    meta: RequestMeta,
    { resourceId: id, requestId }: AcceptedRequest,
    { planned, projectId, parent }: PlacedGroupTemplate,
  ): Answer {
    const context = requestContext(meta, { requestId }, projectId);
    const clusterTemplateId = parent?.id ?? null;
    // names inside are given in order: first those that the cluster template was created with
    if (parent) await this.inside.make(parent.state, context);
    await this.names.take({ projectId, clusterTemplateId }, { id, name: planned.name }, context);
    const made = await this.projection.groupTemplates.create(
      id,
      state => state.created !== undefined,
      () => createNodeGroupTemplate({ ...planned, id, projectId, clusterTemplateId }),
      context,
    );
    return this.answer(made);
  }

  private answer({
    state,
    position,
  }: {
    readonly state: NodeGroupTemplateState;
    readonly position: number | undefined;
  }): ReplyWithPosition<CommandResult> {
    const parent = this.projection.clusterTemplates.get(state.clusterTemplateId ?? '');
    const warnings = this.resolver.warnings(state, parent);
    return new ReplyWithPosition({ resource: withWarnings(groupTemplateFields(state), warnings) }, position);
  }
}
