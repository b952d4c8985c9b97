import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import { isCommandError } from '@eventstore/db-client';
import type { Logger } from '../../observability/logger.js';
import type { EventSubscription, RecordedEvent, SubscribeOptions } from '../event-store.port.js';
import type { RenewedClient } from './renewed-client.js';
import type { StreamNames } from './stream-names.js';
import { countSubscriptionEnd } from './subscription-ends.js';
import { SubscriptionFeed, type Delivery } from './subscription-feed.js';

const FIRST_BACK_OFF_MS = 20;
const LONGEST_BACK_OFF_MS = 5_000;
const MAX_BATCH = 512;
/** The number of events that may wait for the handler before the client's subscription is paused. */
const MOST_WAITING = 4096;

interface SubscriptionSource {
  readonly clients: Pick<RenewedClient, 'current'>;
  readonly names: StreamNames;
  readonly log?: Pick<Logger, 'info' | 'warn'>;
}

/**
 * A subscription that outlives those of the client: the server drops a reader after 32 undelivered live events, and any
 * loss of the connection ends it. It resumes after the last delivered position, with back-off unless it made progress.
 */
export class EventStoreDbSubscription implements EventSubscription {
  /** The events that wait for the handler. */
  private readonly waiting: RecordedEvent[] = [];
  private readonly closing = new AbortController();
  private readonly done: Promise<void>;
  /** The position up to which the handler has received events. */
  private position: number;
  /** The position up to which the server has considered events. */
  private considered: number;
  /** The position at which the subscription was live for the first time. */
  private liveAt: number | undefined;
  private caughtUp = false;
  private feed: SubscriptionFeed | undefined;
  private wake: () => void = () => undefined;
  /** Ends the deliveries of the present feed, after which `run` follows another one. */
  private endFeed: () => void = () => undefined;

  constructor(
    private readonly source: SubscriptionSource,
    private readonly options: SubscribeOptions,
    onEnd: (subscription: EventStoreDbSubscription) => void,
  ) {
    this.position = options.after ?? -1;
    this.considered = this.position;
    this.done = this.run()
      .catch((error: unknown) => this.fail(error))
      .finally(() => onEnd(this));
  }

  /** Ends the subscription. The handler must not await it, because it waits for the handler. */
  close(): Promise<void> {
    this.closing.abort();
    this.feed?.stop();
    this.wake();
    return this.done;
  }

  /** Subscribes again with the present client, after what the former one has delivered. */
  renew(): void {
    this.endFeed();
  }

  private get closed(): boolean {
    return this.closing.signal.aborted;
  }

  private async run(): Promise<void> {
    let backOffMs = FIRST_BACK_OFF_MS;
    while (!this.closed) {
      const before = this.position;
      await this.follow();
      if (this.closed) return;
      if (this.position > before) {
        backOffMs = FIRST_BACK_OFF_MS;
        continue;
      }
      // the pause ends early when the subscription is closed
      await delay(backOffMs, undefined, { signal: this.closing.signal }).catch(() => undefined);
      backOffMs = Math.min(backOffMs * 2, LONGEST_BACK_OFF_MS);
    }
  }

  /** Runs until the client's subscription has ended and all of its deliveries are handled. */
  private async follow(): Promise<void> {
    let ended = false;
    const feed = new SubscriptionFeed({
      client: this.source.clients.current,
      names: this.source.names,
      after: this.position,
      filter: this.options.filter,
      onDelivery: delivery => this.receive(delivery),
      onEnd: error => {
        ended = true;
        this.report(error);
        this.wake();
      },
    });
    this.feed = feed;
    this.endFeed = () => {
      feed.stop();
      ended = true;
      this.wake();
    };
    try {
      for (;;) {
        if (this.considered > this.position || this.isToReport()) await this.deliver();
        else if (ended) return;
        else {
          await new Promise<void>(resolve => (this.wake = resolve));
          await setImmediate(); // the other events that arrived in the same turn
        }
        if (this.closed) return;
        if (this.waiting.length < MOST_WAITING) feed.resume();
      }
    } finally {
      feed.stop();
    }
  }

  private receive(delivery: Delivery): void {
    if (delivery.kind === 'caught-up') this.liveAt ??= this.considered;
    else {
      const { position } = delivery.kind === 'event' ? delivery.event : delivery;
      if (delivery.kind === 'event' && position > this.considered) this.waiting.push(delivery.event);
      this.considered = Math.max(this.considered, position);
    }
    if (this.waiting.length >= MOST_WAITING) this.feed?.pause();
    this.wake();
  }

  private async deliver(): Promise<void> {
    const events = this.waiting.splice(0, MAX_BATCH);
    const position = this.waiting.length > 0 ? (events.at(-1)?.position ?? this.position) : this.considered;
    if (position > this.position) {
      this.position = position;
      await this.options.onEvents(events, position);
    }
    if (this.closed || !this.isToReport()) return;
    this.caughtUp = true;
    this.options.onCaughtUp?.();
  }

  private isToReport(): boolean {
    return !this.caughtUp && this.liveAt !== undefined && this.position >= this.liveAt;
  }

  /** Logs and counts the end of a subscription of the client, which `run` resumes. */
  private report(error: unknown): void {
    if (this.closed) return;
    const reason =
      error instanceof Error && isCommandError(error) ? error.type : error === undefined ? 'end' : 'unknown';
    countSubscriptionEnd(reason);
    const message = error instanceof Error ? error.message : undefined;
    const level = reason === 'timeout' ? 'info' : 'warn';
    this.source.log?.[level](
      { reason, message, position: this.position },
      'a subscription of the event store ended; it is resumed after this position',
    );
  }

  private fail(error: unknown): void {
    this.closing.abort();
    this.options.onError?.(error);
  }
}
