import { isDeepStrictEqual } from 'node:util';
import { RefusedError } from '@stave/contracts';
import {
  failedNodesIn,
  type DomainEvent,
  type OperationStart,
  type PlannedEvent,
  type PlannedOperation,
  type PlanStep,
} from '@stave/domain';
import type { AppendAdmission, PlannedWrite } from './append-admission.js';
import type { PlanMask } from './plan-mask.js';

/** A plan that still holds, with the revisions of the streams that it was computed at; -1 for new streams. */
export interface VerifiedPlan {
  readonly events: readonly PlannedEvent[];
  readonly steps: readonly PlanStep[];
  readonly revisions: ReadonlyMap<string, number>;
  readonly mask: PlanMask;
  /** Marks the token as used; called before the first append. Throws RefusedError `plan-stale` where another request used it first. */
  readonly use: () => Promise<void>;
}

const outdated = new RefusedError({
  code: 'plan-stale',
  kind: 'conflict',
  detail: 'the plan does not hold: the resources that it was computed from keep changing',
});

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
  private plan: Promise<VerifiedPlan> | undefined;
  private use: Promise<void> | undefined;
  private isRepeat = false;
  private readonly appended = new Set<PlannedEvent>();

  /** `compute` returns the current plan. Throws RefusedError where that is not the one of the token. */
  constructor(private readonly compute: () => Promise<VerifiedPlan>) {}

  async admits({ stream, after, events }: PlannedWrite): Promise<boolean> {
    const plan = await this.verified();
    const isPlanned = events.every(event => this.takes(plan, stream, withPlanned(event)));
    if (isPlanned && plan.revisions.get(stream) === after) {
      await (this.use ??= plan.use());
      return true;
    }
    this.isOutdated = true;
    throw outdated;
  }

  async marked(events: readonly DomainEvent[]): Promise<readonly DomainEvent[]> {
    const { steps } = await this.verified();
    const planned = { failed: failedNodesIn(steps) };
    return events.map(event => withPlanned(event, planned));
  }

  async verify(): Promise<void> {
    await this.verified();
  }

  /** Checks the plan of a request that appended nothing: its plan must be empty, too. */
  async settle(): Promise<void> {
    if (!this.isRepeat) await this.verify();
  }

  repeats(): void {
    this.isRepeat = true;
  }

  private verified(): Promise<VerifiedPlan> {
    return (this.plan ??= this.compute());
  }

  /** Whether the event is one of the plan that was not appended yet. */
  private takes({ events, mask }: VerifiedPlan, stream: string, { type, data }: DomainEvent): boolean {
    const masked = mask.apply(data);
    const isSame = (planned: PlannedEvent): boolean =>
      planned.type === type && planned.stream === stream && isDeepStrictEqual(planned.data, masked);
    const match = events.find(planned => !this.appended.has(planned) && isSame(planned));
    if (match) this.appended.add(match);
    return match !== undefined;
  }
}
