import type { RequestMeta } from '@stave/contracts';
import type { DomainEvent, QuotaClaim } from '@stave/domain';
import { newValues, type RequestValues } from './request-values.js';

export interface PlannedWrite {
  readonly stream: string;
  /** Revision of the stream's last event; -1 for a new stream. */
  readonly after: number;
  readonly events: readonly DomainEvent[];
  readonly states?: readonly [before: unknown, after: unknown];
}

/**
 * Decides about every append of a planned request. It travels in the request's EventContext, and code that appends asks it first. A dry run
 * records what would be appended; with a plan token nothing is appended that was not planned.
 */
export interface AppendAdmission {
  /** Returns false where nothing must be appended and the request continues as if it were. Throws RefusedError `plan-stale`. */
  admits(write: PlannedWrite): Promise<boolean>;
  /** Returns the events as they must be appended: with a plan token, operations that they begin are marked as planned. */
  marked(events: readonly DomainEvent[]): Promise<readonly DomainEvent[]>;
  /** Checks the plan before anything of the request is stored. Throws RefusedError `plan-stale`. */
  verify(): Promise<unknown>;
  /** Takes the limited quotas that a planned request would change; absent where nothing is planned. */
  claims?(claims: readonly QuotaClaim[]): void;
  /** Notifies that the request was accepted before, under its idempotency key: its events may be appended already. */
  repeats(): void;
}

interface PlannedRun {
  readonly admission: AppendAdmission;
  readonly values: RequestValues;
}

const RUN = Symbol('stave.planned-run');

interface PlannedMeta extends RequestMeta {
  readonly [RUN]?: PlannedRun;
}

export const planned = (meta: RequestMeta, run: PlannedRun): PlannedMeta => ({ ...meta, [RUN]: run });

/** Throws Error for a request that asks for a plan or carries a token and was not prepared by the DryRunHandler: it must append nothing. */
function runOf(meta: PlannedMeta): PlannedRun | undefined {
  const run = meta[RUN];
  if (!run && (meta.dryRun || meta.planToken !== undefined))
    throw new Error('a request with dryRun or planToken did not pass the DryRunHandler');
  return run;
}

export const admissionOf = (meta: RequestMeta): AppendAdmission | undefined => runOf(meta)?.admission;

/** Returns where a request takes its ids from. Commands use it instead of random ids, so that a plan and its execution agree. */
export const valuesOf = (meta: RequestMeta): RequestValues => runOf(meta)?.values ?? newValues;
