import { setTimeout as delay } from 'node:timers/promises';
import type { EventStoreDBClient } from '@eventstore/db-client';
import type { EventSubscription, SubscribeOptions } from '../event-store.port.js';
import { DeliveryQueue, type Delivery } from './delivery-queue.js';
import { SubscriptionFeed } from './subscription-feed.js';

const FIRST_BACK_OFF_MS = 20;
const LONGEST_BACK_OFF_MS = 5_000;
/** The number of deliveries that may wait for the handler before the client's subscription is paused. */
const MOST_WAITING = 4096;

/**
 * A subscription that outlives those of the client: the server drops a reader after 32 undelivered live events, and any
 * loss of the connection ends it. It resumes after the last delivered position, immediately after progress and
 * otherwise with back-off.
 */
export class EventStoreDbSubscription implements EventSubscription {
  private readonly queue = new DeliveryQueue();
  private readonly closing = new AbortController();
  private readonly done: Promise<void>;
  private position: number;
  private caughtUp = false;
  private feed: SubscriptionFeed | undefined;
  private wake: () => void = () => undefined;

  constructor(
    private readonly client: EventStoreDBClient,
    private readonly options: SubscribeOptions,
    onEnd: (subscription: EventStoreDbSubscription) => void,
  ) {
    this.position = options.after ?? -1;
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
      await this.pause(backOffMs);
      backOffMs = Math.min(backOffMs * 2, LONGEST_BACK_OFF_MS);
    }
  }

  /** Runs until the client's subscription has ended and all of its deliveries are handled. */
  private async follow(): Promise<void> {
    let ended = false;
    const feed = new SubscriptionFeed({
      client: this.client,
      after: this.position,
      filter: this.options.filter,
      onDelivery: delivery => this.receive(delivery),
      onEnd: () => {
        ended = true;
        this.wake();
      },
    });
    this.feed = feed;
    try {
      while (!this.closed && !(ended && this.queue.length === 0)) {
        if (this.queue.length > 0) await this.deliver();
        else await new Promise<void>(resolve => (this.wake = resolve));
        if (this.queue.length < MOST_WAITING) feed.resume();
      }
    } finally {
      feed.stop();
    }
  }

  private receive(delivery: Delivery): void {
    this.queue.push(delivery);
    if (this.queue.length >= MOST_WAITING) this.feed?.pause();
    this.wake();
  }

  private async deliver(): Promise<void> {
    const { events, position, caughtUp } = this.queue.take(this.position);
    if (events.length > 0 || position > this.position) {
      this.position = position;
      await this.options.onEvents(events, position);
    }
    if (!caughtUp || this.caughtUp || this.closed) return;
    this.caughtUp = true;
    this.options.onCaughtUp?.();
  }

  private async pause(ms: number): Promise<void> {
    try {
      await delay(ms, undefined, { signal: this.closing.signal });
    } catch (error) {
      if (!this.closed) throw error;
    }
  }

  private fail(error: unknown): void {
    this.closing.abort();
    this.options.onError?.(error);
  }
}
