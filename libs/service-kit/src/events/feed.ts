import { splitStream, type EventStore, type EventSubscription, type RecordedEvent } from '@stave/platform';
import { UpcastingEventStore } from './upcasting-event-store.js';
import { PositionWaiters } from './position-waiters.js';

const PAGE = 1_000;
/** Milliseconds between two checks whether the log has reached a position. */
const HEAD_MS = 50;

export type FeedListener = (event: RecordedEvent) => void;

export interface FeedOptions {
  readonly store: EventStore;
  /** Called when an event cannot be handled; nothing after it is handled either. */
  readonly onError: (error: unknown) => void;
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
  private subscription: EventSubscription | undefined;
  private seen = -1;
  private last = -1;
  private replay = false;
  private resumed = false;

  constructor(private readonly options: FeedOptions) {
    this.store = UpcastingEventStore.from(options.store);
  }

  /** Position up to which everything was handled. */
  get position(): number {
    return this.seen;
  }

  /** Position of the last event that was handled. Between it and `position` are only events of streams without listeners. */
  get lastEvent(): number {
    return this.last;
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
    return this.replay;
  }

  /** Calls the listener once, when the replay ends, before anything else is handled. */
  onReplayed(listener: () => void): void {
    this.afterReplay.push(listener);
  }

  /** Continues after what an earlier run of this process has handled. Call before `start`. */
  resume({ position, lastEvent }: { readonly position: number; readonly lastEvent: number }): void {
    this.seen = position;
    this.last = lastEvent;
    this.resumed = true;
    this.replay = true;
  }

  /** True when the replay does not start at the first event. */
  get isResumed(): boolean {
    return this.resumed;
  }

  /** Subscribes. Resolves when everything that was in the log has been handled. */
  start(): Promise<void> {
    this.replay = true;
    return new Promise((resolve, reject) => {
      this.subscription = this.store.subscribe({
        ...(this.seen < 0 ? {} : { after: this.seen }),
        filter: this.filter,
        onEvents: (events, position) => this.handle(events, position),
        onCaughtUp: () => {
          this.replay = false;
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

  /** Resolves when everything that was in the followed streams at the call has been handled, or after 2 s. */
  async caughtUp(): Promise<void> {
    await this.followed(await this.store.head(), 2_000);
  }

  /** True when the log had reached `position`, and everything followed up to there was handled, within the time. */
  async waitFor(position: number, timeoutMs: number): Promise<boolean> {
    const { store } = this;
    const until = performance.now() + timeoutMs;
    while (this.seen < position && (await store.head()) < position) {
      const left = until - performance.now();
      if (left <= 0) return false;
      await this.reached(position, Math.min(left, HEAD_MS));
    }
    return this.followed(position, until - performance.now());
  }

  /**
   * The last events up to `position` may be in streams without listeners, and no subscription reports those in time: so the log is
   * read for what is missing.
   */
  private async followed(position: number, timeoutMs: number): Promise<boolean> {
    if (this.seen >= position) return true;
    const after = this.seen < 0 ? {} : { after: this.seen };
    const missing = await this.store.readAll({ ...after, limit: PAGE, filter: this.filter });
    const last = missing.findLast(e => e.position <= position);
    if (last) return this.reached(missing.length === PAGE ? position : last.position, timeoutMs);
    return true;
  }

  private get filter(): { readonly streamPrefixes: readonly string[] } {
    return { streamPrefixes: [...this.prefixes] };
  }

  private async reached(position: number, timeoutMs: number): Promise<boolean> {
    return this.seen >= position || this.waiters.wait(position, timeoutMs);
  }

  async close(): Promise<void> {
    await this.subscription?.close();
  }

  private handle(events: readonly RecordedEvent[], position: number): void {
    for (const event of events) {
      const { category } = splitStream(event.stream);
      for (const listener of this.byCategory.get(category) ?? []) listener(event);
      for (const listener of this.everyEvent) listener(event);
    }
    this.last = Math.max(this.last, events.at(-1)?.position ?? -1);
    this.seen = Math.max(this.seen, position);
    for (const listener of this.afterBatch) listener(this.seen);
    this.waiters.reached(this.seen);
  }
}
