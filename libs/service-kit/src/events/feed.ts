import { splitStream, type EventStore, type EventSubscription, type RecordedEvent } from '@stave/platform';
import { UpcastingEventStore } from './upcasting-event-store.js';
import { PositionWaiters } from './position-waiters.js';

const PAGE = 1_000;
/** Between two looks whether the log has come to a position. */
const HEAD_MS = 50;

export type FeedListener = (event: RecordedEvent) => void;

export interface FeedOptions {
  readonly store: EventStore;
  readonly streamPrefixes: readonly string[];
  readonly onError: (error: unknown) => void;
}

/** One subscription per process, fanned out: listeners of a stream category hear its events in global order; batch listeners after each batch. */
export class Feed {
  private readonly byCategory = new Map<string, FeedListener[]>();
  private readonly everyEvent: FeedListener[] = [];
  private readonly afterBatch: ((position: number) => void)[] = [];
  private readonly waiters = new PositionWaiters();
  private readonly afterReplay: (() => void)[] = [];
  private readonly store: EventStore;
  private subscription: EventSubscription | undefined;
  private seen = -1;
  private last = -1;
  private replay = false;
  private resumed = false;

  constructor(private readonly options: FeedOptions) {
    this.store = UpcastingEventStore.from(options.store);
  }

  /** Up to where everything was handled. */
  get position(): number {
    return this.seen;
  }

  /** Position of the last event that was handled. What is between it and `position` is in streams that nobody here follows. */
  get lastEvent(): number {
    return this.last;
  }

  /** `category` as in `<category>-<id>`, or a whole stream name without a dash. */
  on(category: string, listener: FeedListener): void {
    this.byCategory.set(category, [...(this.byCategory.get(category) ?? []), listener]);
  }

  onEvery(listener: FeedListener): void {
    this.everyEvent.push(listener);
  }

  onBatch(listener: (position: number) => void): void {
    this.afterBatch.push(listener);
  }

  /** Between `start` and the end of what was in the log then. */
  get replaying(): boolean {
    return this.replay;
  }

  /** Called once, when the replay is over, before anything else is handled. */
  onReplayed(listener: () => void): void {
    this.afterReplay.push(listener);
  }

  /** Goes on behind what was handled in an earlier life of this process; to be called before `start`. */
  resume({ position, lastEvent }: { readonly position: number; readonly lastEvent: number }): void {
    this.seen = position;
    this.last = lastEvent;
    this.resumed = true;
    this.replay = true;
  }

  /** Whether what is handled before the end of the replay is not the whole history. */
  get isResumed(): boolean {
    return this.resumed;
  }

  /** Resolves when everything that was in the log has been handled. */
  start(): Promise<void> {
    this.replay = true;
    return new Promise((resolve, reject) => {
      this.subscription = this.store.subscribe({
        ...(this.seen < 0 ? {} : { after: this.seen }),
        filter: { streamPrefixes: this.options.streamPrefixes },
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

  /** Resolves when everything of the followed streams that was in the log at the call was handled (or after 2 s). */
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
   * The last events up to `position` may be in streams that are not followed, and no subscription passes over those in time: so the
   * log is asked what is missing.
   */
  private async followed(position: number, timeoutMs: number): Promise<boolean> {
    if (this.seen >= position) return true;
    const { streamPrefixes } = this.options;
    const after = this.seen < 0 ? {} : { after: this.seen };
    const missing = await this.store.readAll({ ...after, limit: PAGE, filter: { streamPrefixes } });
    const last = missing.findLast(e => e.position <= position);
    if (last) return this.reached(missing.length === PAGE ? position : last.position, timeoutMs);
    return true;
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
