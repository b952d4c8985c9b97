import { Inject, Injectable } from '@nestjs/common';
import { commandSubject, RefusedError } from '@stave/contracts';
import {
  grownDimensions,
  type QuotaAmounts,
  type QuotaClaim,
  type QuotaDemand,
  type QuotaDimension,
  type QuotaState,
} from '@stave/domain';
import type { Messaging } from '@stave/platform';
import { askService } from '../composition/ask-service.js';
import { MESSAGING, SERVICE_OPTIONS, type ServiceOptions } from '../composition/ports.js';
import { ResourceRegistry } from '../resources/resource-registry.js';
import type { Entry } from '../resources/resource-entry.js';
import { SharedReads } from '../resources/shared-reads.js';
import { QuotaProjection } from './quota.projection.js';

/** Who is asked. */
const KEEPER = 'cluster-service, which keeps the quotas of projects,';

/** The limits of projects, without what they use. */
@Injectable()
export class QuotaLimits extends QuotaProjection {
  protected override readonly counted: readonly string[] = [];
}

/** A change of what the resource of a stream takes. */
export interface QuotaChange extends QuotaDemand {
  readonly projectId: string;
  /** What it takes before. */
  readonly before: QuotaAmounts;
  readonly correlationId: string;
}

/**
 * Holds what resources take to the quotas of their projects. cluster-service decides; it is asked only where the project has a limit that
 * the change concerns, which the stream of its quota says.
 */
@Injectable()
export class ProjectQuotas {
  /** The streams of quotas as they are when they are asked for; what grows at once in a project shares a read. */
  private readonly current: SharedReads<Entry<QuotaState>>;

  constructor(
    private readonly limits: QuotaLimits,
    registry: ResourceRegistry,
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(SERVICE_OPTIONS) private readonly options: Pick<ServiceOptions, 'service'>,
  ) {
    registry.follow(limits);
    this.current = new SharedReads(projectId => limits.model.load(projectId));
  }

  /** Whether this process knows of a limit that concerns the growth, without a read. Where it knows of none there may be one since. */
  isKnownToConcern({ projectId, amounts, before }: QuotaChange): boolean {
    const known = this.limits.model.get(projectId);
    return known !== undefined && isLimited(known, grownDimensions(amounts, before));
  }

  /** Returns the limited dimensions that the change concerns, and reserves nothing. Throws RefusedError `quota-exceeded`. */
  async check(change: QuotaChange): Promise<readonly QuotaClaim[]> {
    const { amounts, before } = change;
    const changed = [...grownDimensions(amounts, before), ...grownDimensions(before, amounts)];
    return (await this.concerns(change.projectId, changed)) ? this.ask('check-quota', change) : [];
  }

  /** Reserves room for the change where a limit concerns its growth. Idempotent. Throws RefusedError `quota-exceeded`. */
  async reserve(change: QuotaChange): Promise<boolean> {
    if (!(await this.concerns(change.projectId, grownDimensions(change.amounts, change.before)))) return false;
    await this.ask('reserve-quota', change);
    return true;
  }

  /** Gives the reservation of a change back that will not come. Idempotent. */
  async release({ projectId, id, correlationId }: Omit<QuotaChange, 'before'>): Promise<void> {
    await this.send('release-quota', { id: projectId, reservation: id }, correlationId);
  }

  private async concerns(projectId: string, dimensions: readonly QuotaDimension[]): Promise<boolean> {
    if (dimensions.length === 0 || projectId === '') return false;
    return isLimited((await this.current.of(projectId)).state, dimensions);
  }

  private ask(
    verb: 'check-quota' | 'reserve-quota',
    { projectId, id, stream, after, amounts, correlationId }: QuotaChange,
  ): Promise<readonly QuotaClaim[]> {
    return this.send(verb, { id: projectId, reservation: id, stream, after, amounts }, correlationId);
  }

  private send<D>(verb: string, body: object, correlationId: string): Promise<D> {
    const subject = commandSubject('cluster-service', 'project', verb);
    return askService<D>(this.messaging, { from: this.options.service, subject, body, correlationId, asked: KEEPER });
  }
}

const isLimited = ({ limits }: QuotaState, dimensions: readonly QuotaDimension[]): boolean =>
  dimensions.some(name => limits[name] !== undefined);

/** Whether a project has no room for what was asked. */
export const isQuotaExceeded = (error: unknown): boolean =>
  error instanceof RefusedError && error.error.code === 'quota-exceeded';
