import { isDeepStrictEqual } from 'node:util';
import {
  failedNodesIn,
  type DomainEvent,
  type OperationStart,
  type PlannedEvent,
  type PlannedOperation,
} from '@stave/domain';
import type { AppendAdmission, PlannedWrite } from './append-admission.js';
import type { PlanMask } from './plan-mask.js';
import { planStale, type PlanContent } from './plan-token.js';

export interface ComputedPlan {
  readonly plan: PlanContent;
  /** Revisions of the streams that the plan was computed at; -1 for new streams. */
  readonly revisions: ReadonlyMap<string, number>;
  readonly mask: PlanMask;
}

export interface VerifiedPlan extends ComputedPlan {
  /** Marks the token as used; called before the first append. Throws RefusedError `plan-stale` where another request used it first. */
  readonly use: () => Promise<void>;
}

const operationIn = ({ data }: DomainEvent): OperationStart | undefined =>
  (data as { readonly operation?: OperationStart } | undefined)?.operation;

function withPlanned(event: DomainEvent, planned?: PlannedOperation): DomainEvent {
  const operation = operationIn(event);
  if (!operation) return event;
  const { planned: _before, ...rest } = operation;
  return { ...event, data: { ...(event.data as object), operation: planned ? { ...rest, planned } : rest } };
}

/**
 * Executes a request with a plan token. Before the first append the plan is computed again and compared with the token; then every append
 * must be one of that plan, at the revision that the plan was computed at.
 */
export class PlanExecution implements AppendAdmission {
  /** Whether a stream changed between the computation of the plan and an append: the request must run again. */
  isOutdated = false;
  /** Whether the request was accepted before: its events may be appended already. */
  isRepeat = false;
  private verified: Promise<VerifiedPlan> | undefined;
  private use: Promise<void> | undefined;
  private readonly appended = new Set<PlannedEvent>();

  /** `compute` returns the current plan. Throws RefusedError where that is not the one of the token. */
  constructor(private readonly compute: () => Promise<VerifiedPlan>) {}

  async admits({ stream, after, events }: PlannedWrite): Promise<boolean> {
    const verified = await this.verify();
    const isPlanned = events.every(event => this.takes(verified, stream, withPlanned(event)));
    if (isPlanned && verified.revisions.get(stream) === after) {
      await (this.use ??= verified.use());
      return true;
    }
    this.isOutdated = true;
    throw planStale('the resources that it was computed from keep changing');
  }

  async marked(events: readonly DomainEvent[]): Promise<readonly DomainEvent[]> {
    const { plan } = await this.verify();
    const planned = { failed: failedNodesIn(plan.steps) };
    return events.map(event => withPlanned(event, planned));
  }

  verify(): Promise<VerifiedPlan> {
    return (this.verified ??= this.compute());
  }

  repeats(): void {
    this.isRepeat = true;
  }

  private takes({ plan, mask }: ComputedPlan, stream: string, { type, data }: DomainEvent): boolean {
    const masked = mask.apply(data);
    const isSame = (planned: PlannedEvent): boolean =>
      planned.type === type && planned.stream === stream && isDeepStrictEqual(planned.data, masked);
    const match = plan.events.find(planned => !this.appended.has(planned) && isSame(planned));
    if (match) this.appended.add(match);
    return match !== undefined;
  }
}
