import type { EventSource, EventStore, Logger, RecordedEvent } from '@stave/platform';
import { EventBatch, EventFrame } from './event-batch.js';
import { LogFollower } from './log-follower.js';
import { ReaderGroups, type EventReader } from './reader-groups.js';

/** Events that a reader takes from memory at once; one that is further behind reads the log. So more need not be kept. */
const MOST_AT_ONCE = 256;
const SHORTEST_WINDOW_MS = 5;
const LONGEST_WINDOW_MS = 100;
/** The window is this many times the time of the last distribution, so that distributions to many readers leave most of the time to requests. */
const WINDOW_SHARE = 4;

/**
 * The new events of the log, since somebody wanted them, for all readers of event streams. They are collected for a window of 5 to 100 ms, which
 * grows with the time of a distribution, because every reader costs a write to its connection each time.
 */
export class LiveEvents {
  private readonly readers = new ReaderGroups();
  private readonly follower: LogFollower;
  private collected: EventFrame[] = [];
  private recent: EventFrame[] = [];
  private floor = -1;
  private windowMs = SHORTEST_WINDOW_MS;
  private distribution: NodeJS.Timeout | undefined;

  constructor(
    private readonly source: EventSource,
    eventStore: EventStore,
    log: Logger,
  ) {
    this.follower = new LogFollower({ eventStore, log, onEvents: events => this.collect(events) });
  }

  /** Follows the log from its present end. Throws when the store cannot be reached. */
  async start(): Promise<void> {
    await this.source.resolve();
    await this.follower.start();
    this.floor = this.follower.position;
  }

  /** To be called when all readers have left. */
  async stop(): Promise<void> {
    await this.follower.stop();
    clearTimeout(this.distribution);
  }

  get position(): number {
    return this.follower.position;
  }

  /**
   * Gives the reader the events after `position` from memory and then new events, without gap or duplicate; it can receive events up to
   * `position` again. Returns false and does nothing when memory does not reach back that far, or when it has more events than a reader takes at once.
   */
  join(reader: EventReader, position: number): boolean {
    if (position < this.floor) return false;
    const first = this.recent.findLastIndex(({ event }) => event.position <= position) + 1;
    if (this.recent.length - first > MOST_AT_ONCE) return false;
    const chosen = this.recent.slice(first).filter(({ event }) => reader.filter.selects(event));
    if (chosen.length > 0) reader.take(new EventBatch(chosen));
    this.readers.add(reader);
    return true;
  }

  leave(reader: EventReader): void {
    this.readers.delete(reader);
  }

  private collect(events: readonly RecordedEvent[]): void {
    for (const event of events) this.collected.push(new EventFrame(event, this.source.current));
    if (events.length > 0) this.distribution ??= setTimeout(() => this.distribute(), this.windowMs);
  }

  private distribute(): void {
    this.distribution = undefined;
    const frames = this.collected;
    this.collected = [];
    this.remember(frames);
    const began = performance.now();
    this.readers.distribute(frames);
    // Node.js hands the text of a response to its connection on the next tick, which takes most of the time.
    process.nextTick(() => {
      const tookMs = performance.now() - began;
      this.windowMs = Math.min(Math.max(tookMs * WINDOW_SHARE, SHORTEST_WINDOW_MS), LONGEST_WINDOW_MS);
    });
  }

  private remember(frames: readonly EventFrame[]): void {
    for (const frame of frames) this.recent.push(frame);
    if (this.recent.length <= MOST_AT_ONCE * 2) return;
    const dropped = this.recent.length - MOST_AT_ONCE;
    this.floor = this.recent[dropped - 1]?.event.position ?? this.floor;
    this.recent = this.recent.slice(dropped);
  }
}
