import { Controller } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, type ResourceDocument, type ServiceRequest } from '@stave/contracts';
import {
  quotaDimensions,
  quotaUsed,
  setQuotaLimits,
  type QuotaAmounts,
  type QuotaDimension,
  type QuotaState,
} from '@stave/domain';
import {
  ClosedProjects,
  Feed,
  QuotaProjection,
  RequestLedger,
  ResourceCommands,
  ResourceRegistry,
  type CommandReply,
} from '@stave/service-kit';
import { Projects } from '../access/projects.js';

const on = (verb: string): string => commandSubject('cluster-service', 'project', verb);

interface Ref {
  readonly id: string;
}

interface LimitsInput extends Ref {
  readonly limits: Readonly<Partial<Record<QuotaDimension, number | null>>>;
}

/** The limits and the use of the quotas of a project. */
@Controller()
export class QuotaController {
  constructor(
    private readonly projects: Projects,
    private readonly projection: QuotaProjection,
    private readonly ledger: RequestLedger,
    private readonly closed: ClosedProjects,
    private readonly feed: Feed,
    registry: ResourceRegistry,
  ) {
    registry.describe<QuotaState>('quota', { type: 'quotas', show: ({ limits }) => ({ limits: shownLimits(limits) }) });
  }

  @MessagePattern(on('quotas'))
  async quotas({ meta, body }: ServiceRequest<Ref>): Promise<object> {
    const { id } = await this.projects.existing(meta, body.id);
    await this.feed.caughtUp();
    const { state } = await this.projection.model.lookUp(id);
    return this.shown(id, state);
  }

  /** Replaces all limits. */
  @MessagePattern(on('limit'))
  async limit({ meta, body }: ServiceRequest<LimitsInput>): Promise<CommandReply> {
    const { id } = await this.projects.existing(meta, body.id);
    const commands = new ResourceCommands<QuotaState>(this.ledger, {
      model: this.projection.model,
      scope: () => ({ projectId: id }),
      show: state => this.shown(id, state),
      refusalIn: project => this.closed.refusalIn(project),
    });
    return commands.change(meta, {
      find: () => Promise.resolve({ id }),
      body,
      decide: state => setQuotaLimits(state, numbersIn(body.limits), meta.ifMatch),
    });
  }

  /** The answer is no resource of its own: it has a revision, and no id, name or times. */
  private shown(projectId: string, state: QuotaState): ResourceDocument {
    const all = quotaUsed(state, this.projection.usage.of(projectId));
    const used = Object.fromEntries(quotaDimensions.map(each => [each, all[each] ?? 0]));
    const { limits, revision } = state;
    return { projectId, limits: shownLimits(limits), used, revision } as unknown as ResourceDocument;
  }
}

const shownLimits = (limits: QuotaAmounts) =>
  Object.fromEntries(quotaDimensions.map(each => [each, limits[each] ?? null]));

const numbersIn = (limits: LimitsInput['limits']): QuotaAmounts =>
  Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== null)) as QuotaAmounts;
