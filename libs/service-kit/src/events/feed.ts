import { RefusedError, type ServiceError } from '@stave/contracts';
import {
  categoryOf,
  type EventStore,
  type EventSubscription,
  type ReadAllOptions,
  type RecordedEvent,
} from '@stave/platform';
import type { EventMark } from '../read-models/source-log.js';
import { FeedMeasures } from './feed-measures.js';
import { NewerEvents } from './newer-events.js';
import { UpcastingEventStore } from './upcasting-event-store.js';
import { PositionWaiters } from './position-waiters.js';

const PAGE = 1_000;
/** Milliseconds between two checks whether the log has reached a position. */
const HEAD_MS = 50;
/** Milliseconds for which a request waits until everything acknowledged before it is known. */
const CATCH_UP_MS = 2_000;

const catchingUp: ServiceError = {
  code: 'catching-up',
  kind: 'unavailable',
  detail: 'this process does not know everything yet that was accepted before the request',
  retryAfterMs: 1_000,
};

/** An event that was handled. */
export type HandledEvent = EventMark & Pick<RecordedEvent, 'position'>;

export type FeedListener = (event: RecordedEvent) => void;

export interface FeedOptions {
  readonly store: EventStore;
  /** Called when an event cannot be handled; no later event is handled. */
  readonly onError: (error: unknown) => void;
  /** The service that is measured; absent: none. */
  readonly service?: string;
  /** What is done about events of a newer release; absent: nothing beside leaving them out. */
  readonly newer?: NewerEvents;
}

/**
 * The one subscription of a service, fanned out: listeners of a stream category receive its events in global order, batch listeners are
 * called after each batch. The subscription covers exactly the categories and streams that have listeners when it starts.
 */
export class Feed {
  private readonly byCategory = new Map<string, FeedListener[]>();
  private readonly prefixes = new Set<string>();
  private readonly everyEvent: FeedListener[] = [];
  private readonly afterBatch: ((position: number) => void)[] = [];
  private readonly waiters = new PositionWaiters();
  private readonly afterReplay: (() => void)[] = [];
  /** The log that the feed follows, in the current schema. */
  readonly store: EventStore;
  /** The log as written. */
  readonly stored: EventStore;
  readonly newer: NewerEvents;
  private readonly measures: FeedMeasures | undefined;
  private subscription: EventSubscription | undefined;
  private reachedPosition = -1;
  private lastHandled: HandledEvent | undefined;
  private count = 0;
  private isReplaying = false;
  private resumed = false;

  constructor(private readonly options: FeedOptions) {
    this.stored = options.store;
    this.store = UpcastingEventStore.from(options.store);
    this.newer = options.newer ?? new NewerEvents();
    const { service } = options;
    if (service !== undefined) this.measures = new FeedMeasures(service, this);
  }

  get position(): number {
    return this.reachedPosition;
  }

  /** The position of the last event that was handled. Between it and `position` are only events of streams without listeners. */
  get lastEvent(): number {
    return this.lastHandled?.position ?? -1;
  }

  /** The last event that was handled, by this process or by the one that it continues after. */
  get last(): HandledEvent | undefined {
    return this.lastHandled;
  }

  /** The number of events that this process has handled. */
  get eventCount(): number {
    return this.count;
  }

  /** Listens to all streams `<category>-<id>`. */
  on(category: string, listener: FeedListener): void {
    this.listen(category, `${category}-`, listener);
  }

  /** Listens to one stream, whose name has no dash. */
  onStream(stream: string, listener: FeedListener): void {
    this.listen(stream, stream, listener);
  }

  private listen(category: string, prefix: string, listener: FeedListener): void {
    this.prefixes.add(prefix);
    this.byCategory.set(category, [...(this.byCategory.get(category) ?? []), listener]);
  }

  /** Listens to every event that any listener of a category or stream receives. */
  onEvery(listener: FeedListener): void {
    this.everyEvent.push(listener);
  }

  onBatch(listener: (position: number) => void): void {
    this.afterBatch.push(listener);
  }

  /** True from `start` (or `resume`) until everything that was in the log at the start has been handled. */
  get replaying(): boolean {
    return this.isReplaying;
  }

  /** Calls the listener once, when the replay ends, before anything else is handled. */
  onReplayed(listener: () => void): void {
    this.afterReplay.push(listener);
  }

  /**
   * Continues after the last event that an earlier process has handled. Call before `start`. It continues after this event and not after a later
   * position, because the event stays in the log: what is at another position may be of other users of the store, who may remove it.
   */
  resume(last: HandledEvent): void {
    this.lastHandled = last;
    this.reachedPosition = last.position;
    this.resumed = true;
    this.isReplaying = true;
  }

  /** True when the replay does not start at the first event. */
  get isResumed(): boolean {
    return this.resumed;
  }

  /** Subscribes. Resolves when everything that was in the log has been handled. */
  start(): Promise<void> {
    this.isReplaying = true;
    return new Promise((resolve, reject) => {
      this.subscription = this.store.subscribe({
        ...this.remaining,
        onEvents: (events, position) => this.handle(events, position),
        onCaughtUp: () => {
          this.isReplaying = false;
          for (const listener of this.afterReplay) listener();
          resolve();
        },
        onError: error => {
          reject(error instanceof Error ? error : new Error(String(error)));
          this.options.onError(error);
        },
      });
    });
  }

  /** Resolves when everything that was in the followed streams at the call has been handled. Throws RefusedError `catching-up` after 2 s. */
  async caughtUp(): Promise<void> {
    if (!(await this.followed(await this.store.head(), CATCH_UP_MS))) throw new RefusedError(catchingUp);
  }

  /** True when the log had reached `position`, and everything followed up to there was handled, within the time. */
  async waitFor(position: number, timeoutMs: number): Promise<boolean> {
    const { store } = this;
    const until = performance.now() + timeoutMs;
    while (this.position < position && (await store.head()) < position) {
      const left = until - performance.now();
      if (left <= 0) return false;
      await this.reached(position, Math.min(left, HEAD_MS));
    }
    return this.followed(position, until - performance.now());
  }

  /** Reads the log for followed events: the last events up to `position` may be in streams without listeners, which no subscription reports. */
  private async followed(position: number, timeoutMs: number): Promise<boolean> {
    if (this.position >= position) return true;
    const missing = await this.stored.readAll({ ...this.remaining, limit: PAGE });
    const last = missing.findLast(e => e.position <= position);
    return !last || this.reached(missing.length === PAGE ? position : last.position, timeoutMs);
  }

  private get remaining(): Pick<ReadAllOptions, 'after' | 'filter'> {
    const { position, prefixes } = this;
    return { ...(position < 0 ? {} : { after: position }), filter: { streamPrefixes: [...prefixes] } };
  }

  private async reached(position: number, timeoutMs: number): Promise<boolean> {
    return this.position >= position || this.waiters.wait(position, timeoutMs);
  }

  async close(): Promise<void> {
    await this.subscription?.close();
  }

  private handle(events: readonly RecordedEvent[], position: number): void {
    for (const event of events) {
      const category = categoryOf(event.stream);
      if (this.newer.admits(event, category)) this.deliver(event, category);
    }
    const last = events.at(-1);
    if (last && last.position > this.lastEvent) {
      const { stream, revision, id } = last;
      this.lastHandled = { stream, revision, id, position: last.position };
    }
    this.count += events.length;
    this.reachedPosition = Math.max(this.position, position);
    for (const listener of this.afterBatch) listener(this.position);
    this.waiters.reached(this.position);
    if (last) this.measures?.handled(events.length, this.replaying ? undefined : last);
  }

  private deliver(event: RecordedEvent, category: string): void {
    try {
      for (const listener of this.byCategory.get(category) ?? []) listener(event);
      for (const listener of this.everyEvent) listener(event);
    } catch (error) {
      if (!this.newer.found) throw error;
      this.newer.halt(error);
    }
  }
}
