import { RefusedError } from '@stave/contracts';
import {
  failedNodesIn,
  type DomainEvent,
  type OperationStart,
  type PlannedEvent,
  type PlannedOperation,
  type PlanStep,
} from '@stave/domain';
import { fits } from './plan-blend.js';
import type { PlannedWrite, PlanWatch } from './plan-watch.js';

/** A plan that holds now, and at which revisions of its streams that was found; -1 for new ones. */
export interface HeldPlan {
  readonly events: readonly PlannedEvent[];
  readonly steps: readonly PlanStep[];
  readonly revisions: ReadonlyMap<string, number>;
  /** Before the first append. Throws RefusedError `plan-stale` where another request was faster. */
  readonly spend: () => Promise<void>;
}

const moving = new RefusedError({
  code: 'plan-stale',
  kind: 'conflict',
  detail: 'the plan does not hold: what it was made of keeps changing',
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
 * Watches a request that was planned: before its first append the plan is computed anew and compared, and everything appended must be what
 * that computation says, at the same revisions.
 */
export class PlanGuard implements PlanWatch {
  /** It was found during the request that something has moved since the plan was looked at: ask again. */
  moved = false;
  private held: Promise<HeldPlan> | undefined;
  private isRepeat = false;
  private spent: Promise<void> | undefined;
  private readonly appended = new Set<PlannedEvent>();

  /** `hold` computes the plan of now. Throws RefusedError where it is not the one that the client has. */
  constructor(private readonly hold: () => Promise<HeldPlan>) {}

  async admits({ stream, after, events }: PlannedWrite): Promise<boolean> {
    const { events: planned, revisions, spend } = await (this.held ??= this.hold());
    const at = revisions.get(stream);
    const expected = events.every(event => this.takes(planned, stream, withPlanned(event)));
    if (expected && (at === undefined ? after < 0 : at === after)) {
      await (this.spent ??= spend());
      return true;
    }
    this.moved = true;
    throw moving;
  }

  async marked(events: readonly DomainEvent[]): Promise<readonly DomainEvent[]> {
    const { steps } = await (this.held ??= this.hold());
    const planned = { failed: failedNodesIn(steps) };
    return events.map(event => withPlanned(event, planned));
  }

  async verify(): Promise<void> {
    await (this.held ??= this.hold());
  }

  /** What was to append something has done so; what is done already need not. */
  async settle(): Promise<void> {
    if (!this.isRepeat) await this.verify();
  }

  repeats(): void {
    this.isRepeat = true;
  }

  private takes(planned: readonly PlannedEvent[], stream: string, event: DomainEvent): boolean {
    const match = planned.find(
      p => !this.appended.has(p) && p.type === event.type && fits(p.stream, stream) && fits(p.data, event.data),
    );
    if (match) this.appended.add(match);
    return match !== undefined;
  }
}
