import type { JournalEntry } from '@stave/driver-fake';

export interface HistoryEvent {
  /** For example `stave.node.taskClaimed.v1`. */
  readonly type: string;
  /** For example `node/<id>` or `conductorRing`. */
  readonly subject: string;
  readonly time: string;
  readonly position: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** All events in order, and the journal of the fake cloud. */
export interface History {
  readonly events: readonly HistoryEvent[];
  readonly journal: readonly JournalEntry[];
}

export type PromiseName =
  /** A task was claimed while another claim of its resource was current. */
  | 'claims-overlap'
  /** A report was accepted that did not match the current claim. */
  | 'stale-report-counted'
  /** A unit was changed without a claim, or before it. */
  | 'effect-without-claim'
  /** A unit was changed after the end of the session, and the change was not undone. */
  | 'late-effect-stays'
  /** A unit that a later attempt built or adopted was changed. */
  | 'successor-touched'
  /** A unit was removed whose generation is higher than that of the task. */
  | 'higher-generation-removed'
  /** One generation of a resource was built twice. */
  | 'built-twice'
  /** The orphan sweep removed a unit that its resource still uses. */
  | 'live-unit-swept'
  /** The settled installation lacks the unit of a resource. */
  | 'unit-missing'
  /** The settled installation has a unit that no resource uses. */
  | 'unit-left-over';

export interface BrokenPromise {
  readonly promise: PromiseName;
  readonly resource: string;
  readonly detail: string;
}

/** Returns `taskClaimed` for `stave.node.taskClaimed.v1`. */
export function factOf({ type }: HistoryEvent): string {
  return type.split('.')[2] ?? '';
}

/** Returns a string of an event's data; empty when there is none. */
export function textIn({ data }: HistoryEvent, key: string): string {
  const value = data[key];
  return typeof value === 'string' ? value : '';
}

/** Returns a number of an event's data; 0 when there is none. */
export function numberIn({ data }: HistoryEvent, key: string): number {
  const value = data[key];
  return typeof value === 'number' ? value : 0;
}
