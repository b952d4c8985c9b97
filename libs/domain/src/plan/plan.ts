import type { JsonChange } from '../kernel/json.js';

export type PlanAction = 'create' | 'keep' | 'change' | 'replace' | 'remove';

/** A planned step: one for each node, and one for the shared infrastructure of a cluster. */
export interface PlanStep {
  readonly action: PlanAction;
  readonly resource: {
    /** The kind of resource, as in the subject of an event: `node`, `cluster`, `container` … */
    readonly type: string;
    /** Absent for a resource that does not exist yet. */
    readonly id?: string;
    readonly name?: string;
  };
  readonly reason?: string;
  /** The name of the successor of a replaced resource. */
  readonly by?: string;
  /** The resource had failed before. */
  readonly failed?: true;
}

export interface PlannedEvent {
  readonly type: string;
  readonly stream: string;
  readonly data: unknown;
}

export interface PlannedChange extends JsonChange {
  /** The resource that has the field. */
  readonly resource: { readonly type: string; readonly id?: string };
}

/**
 * A change that is described and not executed. It has the ids and names that the execution with its token will use; secrets are shown as
 * `(generated)`, instants that follow from the time of the request as `(time)`.
 */
export interface Plan {
  /** Binds the execution of the change to this plan; clients send it as `?planToken=`. */
  readonly planToken: string;
  /** The events that would be appended at once, in order. */
  readonly events: readonly PlannedEvent[];
  readonly diff: readonly PlannedChange[];
  /** The steps on the infrastructure, in order, when nothing fails. */
  readonly steps: readonly PlanStep[];
  /** Why the execution cannot be bound to the plan: work in progress may change the steps. */
  readonly unsettled?: string;
  /** The origins of the values of a creation. */
  readonly origins?: unknown;
}
