import type { JournalEntry } from '@stave/driver-fake';

/** An event as `GET /v1/events` shows it. */
export interface HistoryEvent {
  /** E.g. `stave.node.taskClaimed.v1`. */
  readonly type: string;
  /** `node/<id>`; `conductorRing`. */
  readonly subject: string;
  readonly time: string;
  readonly position: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What was decided, and what was done: all events in order, and the journal of the fake cloud. */
export interface History {
  readonly events: readonly HistoryEvent[];
  readonly journal: readonly JournalEntry[];
}

export type PromiseName =
  /** A task was claimed while another claim of its resource was current. */
  | 'claims-overlap'
  /** A report counted that did not equal the current claim. */
  | 'stale-report-counted'
  /** Something was changed without a claim, or before it. */
  | 'effect-without-claim'
  /** Something was changed after the end of the session, and it was not undone. */
  | 'late-effect-stays'
  /** A unit that a later attempt built or took over was changed. */
  | 'successor-touched'
  /** A unit was removed whose generation is higher than that of the task. */
  | 'higher-generation-removed'
  /** One generation of a resource was built twice. */
  | 'built-twice'
  /** The sweep removed a unit that its resource still uses. */
  | 'live-unit-swept'
  /** In the end a resource lacks its unit. */
  | 'unit-missing'
  /** In the end there is a unit that no resource has. */
  | 'unit-left-over';

export interface BrokenPromise {
  readonly promise: PromiseName;
  readonly resource: string;
  readonly detail: string;
}

/** `taskClaimed` of `stave.node.taskClaimed.v1`. */
export function factOf({ type }: HistoryEvent): string {
  return type.split('.')[2] ?? '';
}

/** A text in an event's data; empty when there is none. */
export function textIn({ data }: HistoryEvent, key: string): string {
  const value = data[key];
  return typeof value === 'string' ? value : '';
}

/** A number in an event's data; 0 when there is none. */
export function numberIn({ data }: HistoryEvent, key: string): number {
  const value = data[key];
  return typeof value === 'number' ? value : 0;
}
