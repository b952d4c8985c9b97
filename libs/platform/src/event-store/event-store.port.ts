/** What every event carries beside its data; see docs/contribute/architecture.md. All times are ISO 8601 strings. */
export interface EventMetadata {
  readonly schemaVersion: number;
  readonly time: string;
  readonly correlationId: string;
  readonly causationId?: string;
  readonly operationId?: string;
  readonly actor?: string;
  readonly project?: string;
  readonly clusterId?: string;
  readonly idempotencyKey?: string;
}

/** An event to append. `id` is a UUID; the same id appended again to the same stream has no second effect. */
export interface NewEvent {
  readonly id: string;
  readonly type: string;
  readonly data: object;
  readonly metadata: EventMetadata;
}

/** An event as stored. `revision` counts from 0 within its stream; `position` orders all events of the store. */
export interface RecordedEvent<D = unknown> {
  readonly id: string;
  readonly type: string;
  readonly data: D;
  readonly metadata: EventMetadata;
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
}

/** `no_stream`: the stream must not exist; a number: its last event must have this revision; `any`: no check. */
export type ExpectedRevision = number | 'no_stream' | 'any';

export interface AppendResult {
  /** Revision of the last event written (or of the identical earlier append). */
  readonly revision: number;
  /** Position of the last event written (or of the identical earlier append). */
  readonly position: number;
}

/** The stream moved since the caller looked. Nothing was written. */
export class WrongExpectedRevisionError extends Error {
  constructor(
    readonly stream: string,
    readonly expected: ExpectedRevision,
    /** Last revision of the stream, `no_stream` when it does not exist. */
    readonly actual: number | 'no_stream',
  ) {
    super(`stream ${stream}: expected ${expected}, is at ${actual}`);
    this.name = 'WrongExpectedRevisionError';
  }
}

/** The store cannot be reached or does not answer in time; whether an append took effect is unknown: repeat it with the same event ids. */
export class EventStoreUnavailableError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'EventStoreUnavailableError';
  }
}

export interface ReadStreamOptions {
  /** First revision to read, inclusive; default the start (or the end, backwards). */
  readonly from?: number;
  readonly direction?: 'forwards' | 'backwards';
  readonly limit?: number;
}

export interface EventFilter {
  /** Only streams whose name starts with one of these, e.g. `cluster-`. */
  readonly streamPrefixes: readonly string[];
}

export interface ReadAllOptions {
  /** Events with a position greater than this (exclusive); absent: from the first event. */
  readonly after?: number;
  readonly limit: number;
  readonly filter?: EventFilter;
}

export interface SubscribeOptions {
  /** Exclusive position to start after; absent: from the first event. */
  readonly after?: number;
  readonly filter?: EventFilter;
  /**
   * Called with one or more events, in position order, every matching event exactly once per subscription, never two calls at
   * a time: the next batch comes after the returned promise. `position` is the position up to which everything was
   * considered: at least that of the last event; with a filter it may be past it, and events may then be empty.
   * A handler that throws ends the subscription with `onError`.
   */
  readonly onEvents: (events: readonly RecordedEvent[], position: number) => void | Promise<void>;
  /** Called once when everything that was in the store at the time of subscribing was delivered. */
  readonly onCaughtUp?: () => void;
  /** The subscription ended for good (the handler threw). Losses of the connection are not reported: it resumes by itself. */
  readonly onError?: (error: unknown) => void;
}

export interface EventSubscription {
  /** Ends it; resolves when no handler call is running or will come. */
  close(): Promise<void>;
}

/**
 * The log. An append is acknowledged only when it is durable, is whole or not at all, and its events have consecutive
 * revisions and ascending positions. Safe for any number of concurrent callers. System streams (starting with `$`) are never shown.
 */
export interface EventStore {
  /** Appends to one stream. Throws WrongExpectedRevisionError or EventStoreUnavailableError. An empty list is refused with a RangeError. */
  append(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): Promise<AppendResult>;
  /** Events of one stream; an empty list when it does not exist or `from` is past its end. */
  readStream(stream: string, options?: ReadStreamOptions): Promise<readonly RecordedEvent[]>;
  /** A page of all events in position order. Shorter than `limit` only when the end was reached. */
  readAll(options: ReadAllOptions): Promise<readonly RecordedEvent[]>;
  subscribe(options: SubscribeOptions): EventSubscription;
  /** Position of the last event, -1 for an empty store. */
  head(): Promise<number>;
  /** Resolves when the store answers; throws EventStoreUnavailableError. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
