import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import {
  cloudEvent,
  EventSource,
  idOf,
  type EventStore,
  type EventSubscription,
  type Logger,
  type RecordedEvent,
} from '@stave/platform';
import { EVENT_STORE, LOG } from '../gateway.tokens.js';
import { member } from '../http/members.js';

/** Events that a reader takes from memory at once; one that is further behind reads the log. So more need not be kept. */
const MOST_AT_ONCE = 256;
const RETRY_MS = 1000;

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

/** Holds the only subscription of the process to the event store and distributes events to stream readers and the key cache. */
@Injectable()
export class EventHub implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly source: EventSource;
  private readonly readers = new Set<FrameReader>();
  private readonly revocationListeners: ((keyId: string) => void)[] = [];
  private recent: EventFrame[] = [];
  private floor = -1;
  private seen = -1;
  private subscription: EventSubscription | undefined;
  private retry: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
    @Inject(LOG) private readonly log: Logger,
  ) {
    this.source = new EventSource(eventStore);
  }

  /** Subscribes from the present end of the store. Throws when the store cannot be reached. */
  async onApplicationBootstrap(): Promise<void> {
    this.seen = this.floor = await this.eventStore.head();
    await this.source.resolve();
    this.follow();
  }

  get position(): number {
    return this.seen;
  }

  onApiKeyRevoked(listener: (keyId: string) => void): void {
    this.revocationListeners.push(listener);
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

  async onApplicationShutdown(): Promise<void> {
    this.closed = true;
    clearTimeout(this.retry);
    await this.subscription?.close();
  }

  private follow(): void {
    this.subscription = this.eventStore.subscribe({
      after: this.seen,
      onEvents: (events, position) => this.distribute(events, position),
      onError: error => {
        if (this.closed) return;
        this.log.error({ err: error }, 'the subscription to the event store ended; subscribing again');
        this.retry = setTimeout(() => this.follow(), RETRY_MS);
      },
    });
  }

  private async distribute(events: readonly RecordedEvent[], position: number): Promise<void> {
    const source = await this.source.resolve();
    const fresh = events.filter(event => event.position > this.seen).map(event => new EventFrame(event, source));
    for (const { event } of fresh) this.noticeRevocation(event);
    this.remember(fresh);
    this.seen = Math.max(this.seen, position);
    for (const reader of this.readers) reader.take(fresh);
  }

  private remember(fresh: readonly EventFrame[]): void {
    this.recent.push(...fresh);
    if (this.recent.length <= MOST_AT_ONCE * 2) return;
    const dropped = this.recent.length - MOST_AT_ONCE;
    this.floor = this.recent[dropped - 1]?.event.position ?? this.floor;
    this.recent = this.recent.slice(dropped);
  }

  private noticeRevocation(event: RecordedEvent): void {
    if (event.type !== 'ApiKeyRevoked' || !event.stream.startsWith('apiKey-')) return;
    const id = member(event.data, 'id');
    for (const listener of this.revocationListeners) listener(typeof id === 'string' ? id : idOf(event));
  }
}
