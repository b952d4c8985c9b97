import type { JsonChange } from '../kernel/diff-json.js';

export type PlanAction = 'create' | 'keep' | 'change' | 'replace' | 'remove';

/** What becomes of one thing; one for each node, and one for the shared parts of a cluster. */
export interface PlanStep {
  readonly action: PlanAction;
  readonly resource: {
    /** As in an event's subject: `node`, `cluster`, `container` … */
    readonly type: string;
    /** Absent for what does not exist yet. */
    readonly id?: string;
    readonly name?: string;
  };
  readonly reason?: string;
  /** Of a replacement: the name of what takes its place. */
  readonly by?: string;
  /** It had failed before. */
  readonly failed?: true;
}

export interface PlannedEvent {
  readonly type: string;
  readonly stream: string;
  readonly data: unknown;
}

export interface PlannedChange extends JsonChange {
  /** Whose field it is. */
  readonly resource: { readonly type: string; readonly id?: string };
}

/**
 * A change that is described and not executed. It has the ids and names that the execution with its token will use; secrets are shown as
 * `(generated)`, instants that follow from the time of the request as `(time)`.
 */
export interface Plan {
  /** Binds the execution of the change to this plan; clients send it as `?planToken=`. */
  readonly planToken: string;
  /** What would be appended at once, in order. */
  readonly events: readonly PlannedEvent[];
  readonly diff: readonly PlannedChange[];
  /** What follows on the infrastructure, if all goes well, in order. */
  readonly steps: readonly PlanStep[];
  /** Why it cannot be bound to: what is under way will have a say in the steps. */
  readonly unsettled?: string;
  /** Where the values of a creation came from. */
  readonly origins?: unknown;
}
