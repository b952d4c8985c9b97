import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { cloudEvent, EventSource, type EventStore, type Logger, type RecordedEvent } from '@stave/platform';
import { EVENT_STORE, LOG } from '../gateway.tokens.js';
import { LogFollower } from './log-follower.js';

/** Events that a reader takes from memory at once; one that is further behind reads the log. So more need not be kept. */
const MOST_AT_ONCE = 256;

/** An event with its wire format, which is built when the first reader needs it and shared by all readers. */
export class EventFrame {
  private built: string | undefined;

  constructor(
    readonly event: RecordedEvent,
    private readonly source: string,
  ) {}

  get text(): string {
    this.built ??= `id: ${this.event.position}\ndata: ${JSON.stringify(cloudEvent(this.event, this.source))}\n\n`;
    return this.built;
  }
}

/** Receives frames in the order of their positions. Must not throw. */
export interface FrameReader {
  take(frames: readonly EventFrame[]): void;
}

/** The new events of the log, since somebody wanted them, for all readers of event streams. */
export class LiveEvents {
  private readonly readers = new Set<FrameReader>();
  private readonly follower: LogFollower;
  private recent: EventFrame[] = [];
  private floor = -1;

  constructor(
    private readonly source: EventSource,
    eventStore: EventStore,
    log: Logger,
  ) {
    this.follower = new LogFollower({ eventStore, log, onEvents: events => this.distribute(events) });
  }

  /** Follows the log from its present end. Throws when the store cannot be reached. */
  async start(): Promise<void> {
    await this.source.resolve();
    await this.follower.start();
    this.floor = this.follower.position;
  }

  stop(): Promise<void> {
    return this.follower.stop();
  }

  get position(): number {
    return this.follower.position;
  }

  /**
   * Gives the reader the events after `position` from memory and then new events, without gap or duplicate. Returns false and does
   * nothing when memory does not reach back that far, or when it has more events than a reader takes at once.
   */
  join(reader: FrameReader, position: number): boolean {
    if (position < this.floor) return false;
    const first = this.recent.findLastIndex(frame => frame.event.position <= position) + 1;
    if (this.recent.length - first > MOST_AT_ONCE) return false;
    reader.take(this.recent.slice(first));
    this.readers.add(reader);
    return true;
  }

  leave(reader: FrameReader): void {
    this.readers.delete(reader);
  }

  private distribute(events: readonly RecordedEvent[]): void {
    const fresh = events.map(event => new EventFrame(event, this.source.current));
    this.remember(fresh);
    for (const reader of this.readers) reader.take(fresh);
  }

  private remember(fresh: readonly EventFrame[]): void {
    this.recent.push(...fresh);
    if (this.recent.length <= MOST_AT_ONCE * 2) return;
    const dropped = this.recent.length - MOST_AT_ONCE;
    this.floor = this.recent[dropped - 1]?.event.position ?? this.floor;
    this.recent = this.recent.slice(dropped);
  }
}

/** Follows the log for the readers of event streams, and only while there are any, because every event costs the process and the event store. */
@Injectable()
export class EventHub implements OnApplicationShutdown {
  readonly source: EventSource;
  private readonly readers = new Set<FrameReader>();
  private following: Promise<LiveEvents> | undefined;

  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
    @Inject(LOG) private readonly log: Logger,
  ) {
    this.source = new EventSource(eventStore);
  }

  /** Returns the new events, which are followed until every reader has left. Throws when the store cannot be reached. */
  enter(reader: FrameReader): Promise<LiveEvents> {
    this.readers.add(reader);
    this.following ??= this.follow();
    return this.following;
  }

  leave(reader: FrameReader): void {
    if (this.readers.delete(reader) && this.readers.size === 0) void this.stop();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.stop();
  }

  private async follow(): Promise<LiveEvents> {
    const live = new LiveEvents(this.source, this.eventStore, this.log);
    await live.start();
    return live;
  }

  private async stop(): Promise<void> {
    const { following } = this;
    this.following = undefined;
    // a start that failed was reported to those who waited for it, and there is nothing to stop
    const live = await following?.catch(() => undefined);
    await live?.stop();
  }
}
