import { Inject, Injectable } from '@nestjs/common';
import { EventSource, type EventStore, type EventSubscription, type RecordedEvent } from '@stave/platform';
import type { GatewayLog } from '../gateway-log.js';
import { EVENT_STORE, LOG } from '../gateway.tokens.js';
import { EventFrame } from './event-frame.js';

const RECENT_FRAMES = 4096;
const MOST_AT_ONCE = 256;
const RETRY_MS = 1000;

/** Receives frames in the order of their positions. Must not throw. */
export interface FrameReader {
  take(frames: readonly EventFrame[]): void;
}

/** Holds the only subscription of the process to the event store and distributes events to stream readers and the key cache. */
@Injectable()
export class EventHub {
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
    @Inject(LOG) private readonly log: GatewayLog,
  ) {
    this.source = new EventSource(eventStore);
  }

  /** Subscribes from the present end of the store. Throws when the store cannot be reached. */
  async start(): Promise<void> {
    this.seen = this.floor = await this.eventStore.head();
    await this.source.resolve();
    this.follow();
  }

  /** The position up to which events have been distributed. */
  get position(): number {
    return this.seen;
  }

  get readerCount(): number {
    return this.readers.size;
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

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.retry);
    await this.subscription?.close();
  }

  private follow(): void {
    const after = this.seen < 0 ? {} : { after: this.seen };
    this.subscription = this.eventStore.subscribe({
      ...after,
      onEvents: (events, position) => this.handOn(events, position),
      onError: error => {
        if (this.closed) return;
        this.log.error({ err: error }, 'the subscription to the event store ended; subscribing again');
        this.retry = setTimeout(() => this.follow(), RETRY_MS);
      },
    });
  }

  private async handOn(events: readonly RecordedEvent[], position: number): Promise<void> {
    const source = await this.source.resolve();
    const fresh = events.filter(event => event.position > this.seen).map(event => new EventFrame(event, source));
    for (const { event } of fresh) this.noticeRevocation(event);
    this.remember(fresh);
    this.seen = Math.max(this.seen, position);
    for (const reader of this.readers) reader.take(fresh);
  }

  private remember(fresh: readonly EventFrame[]): void {
    this.recent.push(...fresh);
    if (this.recent.length <= RECENT_FRAMES * 2) return;
    const dropped = this.recent.length - RECENT_FRAMES;
    this.floor = this.recent[dropped - 1]?.event.position ?? this.floor;
    this.recent = this.recent.slice(dropped);
  }

  private noticeRevocation({ type, stream, data }: RecordedEvent): void {
    if (type !== 'ApiKeyRevoked' || !stream.startsWith('apiKey-')) return;
    const named = typeof data === 'object' && data !== null && 'id' in data ? data.id : undefined;
    const id = typeof named === 'string' ? named : stream.slice('apiKey-'.length);
    for (const listener of this.revocationListeners) listener(id);
  }
}
