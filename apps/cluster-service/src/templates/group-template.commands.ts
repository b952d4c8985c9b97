import { Injectable } from '@nestjs/common';
import { RefusedError, type Actor, type CommandResult, type RequestMeta } from '@stave/contracts';
import {
  deleteNodeGroupTemplate,
  updateNodeGroupTemplate,
  type ClusterTemplateState,
  type Decision,
  type NodeGroupAttributes,
  type NodeGroupTemplateEvent,
  type NodeGroupTemplateState,
  type Problem,
  type TemplatePatch,
} from '@stave/domain';
import {
  optionProblems,
  RefusedReferences,
  RequestLedger,
  ResourceCommands,
  RingFollower,
  type ResourceScope,
  type Named,
  type ReplyWithPosition,
} from '@stave/service-kit';
import { groupTemplateFields } from './template.document.js';
import { groupWarnings, offeredManifest, withWarnings } from './template-driver.js';
import { TemplateLookup } from './template.lookup.js';
import { TemplateMoves, type TemplateMove } from './template-moves.js';
import { TemplateParents } from './template-parents.js';
import { TemplateProjection } from './template.projection.js';

type Answer = Promise<ReplyWithPosition<CommandResult>>;

/** `clusterTemplateId` moves the template into a cluster template; null moves it out. */
export type GroupTemplatePatch = TemplatePatch & { readonly clusterTemplateId?: string | null };

/** Another event was appended after the name for a move was taken: the name has to be taken again. */
class MoveOvertaken extends Error {}

const OVERTAKEN_RETRIES = 20;

/** Commands on node group templates; they are complete when they are answered. */
@Injectable()
export class GroupTemplateCommands {
  private readonly commands: ResourceCommands<NodeGroupTemplateState>;

  constructor(
    ledger: RequestLedger,
    private readonly ring: RingFollower,
    private readonly projection: TemplateProjection,
    private readonly lookup: TemplateLookup,
    private readonly parents: TemplateParents,
    private readonly moves: TemplateMoves,
  ) {
    this.commands = new ResourceCommands(ledger, {
      model: projection.groupTemplates,
      scope: ({ created }: NodeGroupTemplateState): ResourceScope => ({ projectId: created?.projectId ?? '' }),
      show: groupTemplateFields,
    });
  }

  async patch(meta: RequestMeta, ref: string, patch: GroupTemplatePatch): Answer {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.change(meta, ref, patch);
      } catch (error) {
        if (!(error instanceof MoveOvertaken) || attempt >= OVERTAKEN_RETRIES) throw error;
      }
    }
  }

  async remove(meta: RequestMeta, ref: string): Answer {
    return this.commands.change(meta, {
      ...this.target(meta.actor, ref),
      body: { delete: true },
      starts: false,
      decide: s => deleteNodeGroupTemplate(s, meta.ifMatch),
    });
  }

  /** Where it is moved, its name in the new place is taken first, for the next event of its stream and no later one. */
  private change(meta: RequestMeta, ref: string, patch: GroupTemplatePatch): Answer {
    const { clusterTemplates } = this.projection;
    let parent: Named<ClusterTemplateState> | undefined;
    let takenFor: number | undefined;
    const decide = (state: NodeGroupTemplateState): Decision<NodeGroupTemplateEvent> => {
      if (takenFor !== undefined && takenFor !== state.eventCount) throw new MoveOvertaken();
      const place = patch.clusterTemplateId === undefined ? {} : { clusterTemplateId: parent?.id ?? null };
      const driven = parent?.state ?? clusterTemplates.get(state.clusterTemplateId ?? '');
      const problems = (attributes: NodeGroupAttributes): readonly Problem[] => this.optionProblems(driven, attributes);
      const terms = { problems, ...(meta.ifMatch === undefined ? {} : { ifMatch: meta.ifMatch }) };
      return updateNodeGroupTemplate(state, { ...patch, ...place }, terms);
    };
    return this.commands.change(meta, {
      ...this.target(meta.actor, ref),
      body: patch,
      starts: false,
      check: async state => {
        takenFor = undefined;
        const refused = new RefusedReferences();
        const { projectId } = state.created ?? {};
        parent = await refused.collect(this.parents.find(meta.actor, patch.clusterTemplateId ?? null, projectId));
        await refused.collect(accepted(decide(state)));
        refused.raise();
        await this.moves.check(moveOf(state, patch, parent));
      },
      decide,
      before: async (state, context) => {
        if (await this.moves.takeName(moveOf(state, patch, parent), context)) takenFor = state.eventCount;
      },
      show: s => {
        const warnings = groupWarnings(this.ring.view, s, clusterTemplates.get(s.clusterTemplateId ?? ''));
        return withWarnings(groupTemplateFields(s), warnings);
      },
    });
  }

  private optionProblems(
    parent: ClusterTemplateState | undefined,
    { options }: NodeGroupAttributes,
  ): readonly Problem[] {
    const manifest = parent && offeredManifest(this.ring.view, parent.attributes);
    return manifest && options ? optionProblems(manifest, options, '/options') : [];
  }

  private target(actor: Actor, ref: string): { readonly find: () => Promise<string> } {
    return { find: async () => (await this.lookup.groupTemplate(actor, ref)).id };
  }
}

/** Undefined where the patch moves nothing. */
function moveOf(
  state: NodeGroupTemplateState,
  patch: GroupTemplatePatch,
  parent: Named<ClusterTemplateState> | undefined,
): TemplateMove | undefined {
  const { created } = state;
  const stays = (parent?.id ?? null) === state.clusterTemplateId;
  if (!created || patch.clusterTemplateId === undefined || stays) return undefined;
  return { created, eventCount: state.eventCount, ...(parent && { parent }) };
}

/** Throws RefusedError when the decision is a refusal. */
async function accepted(decision: Decision<NodeGroupTemplateEvent>): Promise<void> {
  if (!decision.ok) throw new RefusedError(decision.refusal);
}
