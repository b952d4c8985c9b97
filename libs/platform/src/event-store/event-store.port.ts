/** The metadata of an event; docs/reference/events.md, "Envelope", describes the fields. Times are ISO 8601 strings. */
export interface EventMetadata {
  readonly schemaVersion: number;
  readonly time: string;
  readonly correlationId: string;
  readonly causationId?: string;
  readonly operationId?: string;
  /** Absent in events of earlier releases where no user had requested them. */
  readonly actor?: string;
  /** The name of the actor's API key, or of the subject that has signed in. */
  readonly actorName?: string;
  /** How the actor has signed in; absent: with an API key, or the actor is no requester. */
  readonly actorMethod?: string;
  /** The issuer of the actor's token. */
  readonly actorIssuer?: string;
  readonly project?: string;
  readonly clusterId?: string;
  readonly idempotencyKey?: string;
  /** The span that appended the event (W3C Trace Context), where it was traced. */
  readonly traceparent?: string;
}

/** An event to append. `id` is a UUID; appending the same id to the same stream again has no second effect. */
export interface NewEvent {
  readonly id: string;
  readonly type: string;
  readonly data: object;
  readonly metadata: EventMetadata;
}

/** A stored event. `revision` counts from 0 within its stream; `position` orders all events of the store. */
export interface RecordedEvent<D = unknown> {
  readonly id: string;
  readonly type: string;
  readonly data: D;
  readonly metadata: EventMetadata;
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
}

/** The expected state of a stream: it does not exist, the revision of its last event, or no check. */
export type ExpectedRevision = number | 'no_stream' | 'any';

/** One append to one stream, as `EventStore.append` takes it. */
export interface Append {
  readonly stream: string;
  readonly events: readonly NewEvent[];
  readonly expected: ExpectedRevision;
}

/** One of several appends in order. */
export interface OrderedAppend extends Append {
  /**
   * Begins to find out what must hold before this append is written, while those before it are: when it rejects, neither this one nor one after it
   * is. Called once at most, and not where one before it was refused by then.
   */
  readonly requires?: () => Promise<unknown>;
}

export interface AppendResult {
  /** The revision of the last event written, or of the identical earlier append. */
  readonly revision: number;
  /** The position of the last event written, or of the identical earlier append. */
  readonly position: number;
}

/** The stream does not have the expected revision. Nothing was written. */
export class WrongExpectedRevisionError extends Error {
  constructor(
    readonly stream: string,
    readonly expected: ExpectedRevision,
    /** The last revision of the stream, or `no_stream` when it does not exist. */
    readonly actual: number | 'no_stream',
  ) {
    super(`stream ${stream} is at ${actual}, expected ${expected}`);
    this.name = 'WrongExpectedRevisionError';
  }
}

/** The store does not answer in time. The effect of an append is unknown: repeat it with the same event ids. */
export class EventStoreUnavailableError extends Error {
  override readonly name = 'EventStoreUnavailableError';
}

/** No event has the position from which a read was to start. Stores whose positions are dense accept any number. */
export class UnknownPositionError extends RangeError {
  override readonly name = 'UnknownPositionError';

  constructor(readonly position: number) {
    super(`no event has the position ${position}`);
  }
}

/** The store refuses this process because of its settings. Repeating does not help; the message names what to check. */
export class EventStoreRefusedError extends Error {
  override readonly name = 'EventStoreRefusedError';
}

export interface ReadStreamOptions {
  /** The first revision to read, inclusive; default the start of the stream, or its end when reading backwards. */
  readonly from?: number;
  readonly direction?: 'forwards' | 'backwards';
  readonly limit?: number;
}

export interface EventFilter {
  /** Selects streams whose name starts with one of these, for example `cluster-`. */
  readonly streamPrefixes: readonly string[];
}

export interface ReadAllOptions {
  /** Default: forwards, in position order; backwards: the newest first. */
  readonly direction?: 'forwards' | 'backwards';
  /** Forwards: the position to start after (exclusive); absent or -1 means from the first event. */
  readonly after?: number;
  /** Backwards: the position to start before (exclusive); absent means from the last event. */
  readonly before?: number;
  readonly limit: number;
  readonly filter?: EventFilter;
}

export interface SubscribeOptions {
  /** The position to start after (exclusive); absent or -1 means from the first event. */
  readonly after?: number;
  readonly filter?: EventFilter;
  /**
   * Receives one or more events in position order. Each matching event is delivered exactly once for each subscription,
   * and calls never overlap: the next batch follows when the returned promise resolves. `position` is the position up
   * to which events were considered, at least that of the last event. With a filter it may be higher, and events may be
   * empty. A handler that throws ends the subscription with `onError`.
   */
  readonly onEvents: (events: readonly RecordedEvent[], position: number) => void | Promise<void>;
  /** Called once, when all events that existed at the time of subscribing were delivered. */
  readonly onCaughtUp?: () => void;
  /** Called when the subscription ended because the handler threw. Lost connections are resumed, not reported. */
  readonly onError?: (error: unknown) => void;
}

export interface EventSubscription {
  /** Ends the subscription. Resolves when no handler call is running and none will follow. */
  close(): Promise<void>;
}

/**
 * An append-only log of events in streams. An append is acknowledged when it is durable; it is written completely or
 * not at all, with consecutive revisions and ascending positions. All methods are safe for concurrent callers. System
 * streams, whose names start with `$`, are never returned.
 */
export interface EventStore {
  /** Throws WrongExpectedRevisionError, EventStoreUnavailableError, or RangeError for an empty list. */
  append(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): Promise<AppendResult>;
  /**
   * Appends to several streams, each only if those before it were accepted, and resolves to their results when all are durable. Rejects
   * with the error of the first that is not accepted: those before it may be durable then, and none after it is written. When the effect
   * is unknown, repeat all of them with the same event ids.
   */
  appendInOrder(appends: readonly OrderedAppend[]): Promise<readonly AppendResult[]>;
  /** Returns events of one stream; an empty list when it does not exist or `from` is past its end. */
  readStream(stream: string, options?: ReadStreamOptions): Promise<readonly RecordedEvent[]>;
  /**
   * Returns a page of all events in position order, or against it. It is shorter than `limit` only when the end, or backwards the first event, was
   * reached. Throws UnknownPositionError when the store cannot start at `after` or `before`, which must be the position of an event.
   */
  readAll(options: ReadAllOptions): Promise<readonly RecordedEvent[]>;
  subscribe(options: SubscribeOptions): EventSubscription;
  /** Returns the position of the last event, or -1 for an empty store. */
  head(): Promise<number>;
  /** Resolves when the store answers. Throws EventStoreUnavailableError. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
