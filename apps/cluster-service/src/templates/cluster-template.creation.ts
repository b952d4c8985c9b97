import { Injectable } from '@nestjs/common';
import type { CommandResult, RequestMeta } from '@stave/contracts';
import { createClusterTemplate, type ClusterTemplateState } from '@stave/domain';
import {
  Names,
  projectOf,
  ReplyWithPosition,
  requestContext,
  RequestLedger,
  type AcceptedRequest,
} from '@stave/service-kit';
import { hasSources } from '../clusters/cluster-request.js';
import { ClusterTemplateResolver } from './cluster-template.resolver.js';
import { GroupsInside } from './groups-inside.js';
import { clusterTemplateNames, TemplateLookup } from './template.lookup.js';
import { TemplateProjection } from './template.projection.js';
import type { ClusterTemplateInput, PlannedClusterTemplate } from './plan-template.js';
import { clusterTemplateFields, shownInside } from './template.document.js';
import { withWarnings } from './template-driver.js';

type Answer = Promise<ReplyWithPosition<CommandResult>>;

/** Creates cluster templates with the templates inside them: from attributes, another template, a cluster, or a mix. */
@Injectable()
export class ClusterTemplateCreation {
  constructor(
    private readonly ledger: RequestLedger,
    private readonly names: Names,
    private readonly projection: TemplateProjection,
    private readonly lookup: TemplateLookup,
    private readonly resolver: ClusterTemplateResolver,
    private readonly inside: GroupsInside,
  ) {}

  /** A repeat finishes missing steps and gets the first answer, whatever happened to the sources since. */
  async run(meta: RequestMeta, body: ClusterTemplateInput): Answer {
    const fresh = this.ledger.newIds(meta);
    let planned: PlannedClusterTemplate | undefined;
    return this.ledger.first(
      meta,
      body,
      async (ids, repeat) => {
        const done = repeat
          ? await this.projection.clusterTemplates.asAccepted(ids.resourceId, ids.requestId)
          : undefined;
        if (done) return this.finish(meta, ids, done);
        const remembered = ids.plan as PlannedClusterTemplate | undefined;
        const own = repeat ? undefined : planned;
        return this.create(meta, ids, remembered ?? own ?? (await this.resolver.resolve(meta, body, ids)));
      },
      async () => {
        planned = await this.resolver.resolve(meta, body, fresh);
        await this.lookup.requireFreeName(projectOf(meta.actor), planned.name);
        return hasSources(body) ? { ...fresh, plan: planned } : fresh;
      },
    );
  }

  /** The template with those inside it is one event, after its name. */
  private async create(meta: RequestMeta, ids: AcceptedRequest, planned: PlannedClusterTemplate): Answer {
    const { clusterTemplates } = this.projection;
    const { resourceId: id, requestId } = ids;
    const projectId = projectOf(meta.actor);
    const context = requestContext(meta, { requestId }, projectId);
    const owner = { targetId: id, targetStream: clusterTemplates.stream(id) };
    await this.names.reserve(clusterTemplateNames(projectId), planned.name, owner, context);
    const made = await clusterTemplates.create(
      id,
      state => state.created !== undefined,
      () => createClusterTemplate({ ...planned, id, projectId }),
      context,
    );
    return this.finish(meta, ids, made);
  }

  /** Streams of their own for those inside, before the answer. */
  private async finish(
    meta: RequestMeta,
    { resourceId: id, requestId }: AcceptedRequest,
    { state, position = -1 }: { readonly state: ClusterTemplateState; readonly position: number | undefined },
  ): Answer {
    const { groups = [], projectId = '' } = state.created ?? {};
    const gone = this.projection.clusterTemplates.get(id)?.deleted === true;
    const last = gone ? -1 : await this.inside.make(state, requestContext(meta, { requestId }, projectId));
    const resource = { ...clusterTemplateFields(state), nodeGroupTemplates: groups.map(shownInside) };
    return new ReplyWithPosition(
      { resource: withWarnings(resource, this.resolver.warnings(state)) },
      Math.max(position, last),
    );
  }
}
