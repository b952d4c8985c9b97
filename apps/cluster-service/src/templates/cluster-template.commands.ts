import { Injectable } from '@nestjs/common';
import type { CommandResult, RequestMeta } from '@stave/contracts';
import {
  deleteClusterTemplate,
  updateClusterTemplate,
  type ClusterAttributes,
  type ClusterTemplateState,
  type Problem,
  type TemplatePatch,
} from '@stave/domain';
import {
  optionProblems,
  ReplyWithPosition,
  requestContext,
  RequestLedger,
  ResourceCommands,
  RingFollower,
  type ResourceScope,
} from '@stave/service-kit';
import { clusterTemplateFields } from './template.document.js';
import { driverWarnings, offeredManifest, withWarnings } from './template-driver.js';
import { GroupsInside } from './groups-inside.js';
import { TemplateLookup } from './template.lookup.js';
import { TemplateProjection } from './template.projection.js';

type Answer = Promise<ReplyWithPosition<CommandResult>>;

/** Commands on cluster templates; they are complete when they are answered. */
@Injectable()
export class ClusterTemplateCommands {
  private readonly commands: ResourceCommands<ClusterTemplateState>;

  constructor(
    ledger: RequestLedger,
    projection: TemplateProjection,
    private readonly ring: RingFollower,
    private readonly lookup: TemplateLookup,
    private readonly inside: GroupsInside,
  ) {
    this.commands = new ResourceCommands(ledger, {
      model: projection.clusterTemplates,
      scope: ({ created }: ClusterTemplateState): ResourceScope => ({ projectId: created?.projectId ?? '' }),
      show: clusterTemplateFields,
    });
  }

  async patch(meta: RequestMeta, ref: string, patch: TemplatePatch): Answer {
    const { view } = this.ring;
    const { ifMatch } = meta;
    const problems = (attributes: ClusterAttributes): readonly Problem[] => {
      const manifest = offeredManifest(view, attributes);
      return manifest && attributes.options ? optionProblems(manifest, attributes.options, '/options') : [];
    };
    return this.commands.change(meta, {
      ...this.target(meta, ref),
      body: patch,
      starts: false,
      decide: s => updateClusterTemplate(s, patch, { problems, ...(ifMatch === undefined ? {} : { ifMatch }) }),
      show: s => withWarnings(clusterTemplateFields(s), driverWarnings(view, s.attributes)),
    });
  }

  /** Those inside it are deleted before the answer. */
  async remove(meta: RequestMeta, ref: string): Answer {
    let requestId = '';
    const removed = await this.commands.change(meta, {
      ...this.target(meta, ref),
      body: { delete: true },
      starts: false,
      decide: s => deleteClusterTemplate(s, meta.ifMatch),
      show: (state, ids) => {
        ({ requestId } = ids);
        return clusterTemplateFields(state);
      },
    });
    const { id, projectId } = removed.data.resource;
    const last = await this.inside.remove(id, requestContext(meta, { requestId }, projectId ?? ''));
    return new ReplyWithPosition(removed.data, Math.max(removed.position ?? -1, last));
  }

  private target({ actor }: RequestMeta, ref: string): { readonly find: () => Promise<string> } {
    return { find: async () => (await this.lookup.clusterTemplate(actor, ref)).id };
  }
}
