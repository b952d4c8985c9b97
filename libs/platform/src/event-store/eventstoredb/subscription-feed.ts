import {
  START,
  streamNameFilter,
  type AllStreamResolvedEvent,
  type AllStreamSubscription,
  type EventStoreDBClient,
  type Position,
} from '@eventstore/db-client';
import type { EventFilter, RecordedEvent } from '../event-store.port.js';
import { SEARCH_WINDOW } from './all-read.js';
import type { StreamNames } from './stream-names.js';
import { recordedEvent } from './translate.js';

/** An event, the position up to which the server has considered events, or that the subscription is live. */
export type Delivery =
  | { readonly kind: 'event'; readonly event: RecordedEvent }
  | { readonly kind: 'position'; readonly position: number }
  | { readonly kind: 'caught-up' };

export interface FeedOptions {
  readonly client: EventStoreDBClient;
  readonly names: StreamNames;
  readonly after: number;
  readonly filter?: EventFilter;
  readonly onDelivery: (delivery: Delivery) => void;
  /** Called once, when no more deliveries will follow, with the error that ended the subscription, if any. */
  readonly onEnd: (error?: unknown) => void;
}

/** A checkpoint follows at the latest after 8 × 512 events that the filter does not select. */
const CHECKPOINT_INTERVAL = 8;

/**
 * One subscription of the client until it ends for any reason. Checkpoints and `caughtUp` overtake events in the
 * stream's buffer, so each is held until the events before it are delivered.
 */
export class SubscriptionFeed {
  private readonly subscription: AllStreamSubscription;
  private held: { delivery: Delivery; afterEvents: number }[] = [];
  private received = 0;
  private ended = false;

  constructor(private readonly options: FeedOptions) {
    const { client, names, after, filter } = options;
    const from: Position = { commit: BigInt(after), prepare: BigInt(after) };
    const checkpointReached = (_: unknown, position: Position) =>
      this.hold({ kind: 'position', position: Number(position.commit) });
    const select = names.selection(filter);
    const window = { checkpointReached, checkpointInterval: CHECKPOINT_INTERVAL, maxSearchWindow: SEARCH_WINDOW };
    this.subscription = client.subscribeToAll({
      fromPosition: after < 0 ? START : from,
      resolveLinkTos: false,
      filter:
        'regex' in select ? streamNameFilter({ ...select, ...window }) : streamNameFilter({ ...select, ...window }),
    });
    this.subscription
      .on('data', (resolved: AllStreamResolvedEvent) => this.receive(resolved))
      .on('caughtUp', () => this.hold({ kind: 'caught-up' }))
      .on('error', (error: unknown) => this.end(error))
      .on('end', () => this.end())
      .on('close', () => this.end());
  }

  pause(): void {
    this.subscription.pause();
  }

  resume(): void {
    if (!this.ended) this.subscription.resume();
  }

  /** Ends the deliveries. Later errors of the subscription are ignored. */
  stop(): void {
    this.ended = true;
    this.subscription.unsubscribe().catch(() => undefined);
  }

  private receive(resolved: AllStreamResolvedEvent): void {
    if (this.ended) return;
    this.received++;
    const event = recordedEvent(resolved, this.options.names);
    if (event) this.options.onDelivery({ kind: 'event', event });
    this.release();
  }

  private hold(delivery: Delivery): void {
    this.held.push({ delivery, afterEvents: this.received + this.subscription.readableLength });
    this.release();
  }

  private release(): void {
    while (!this.ended && this.held[0] && this.held[0].afterEvents <= this.received) {
      const next = this.held.shift();
      if (next) this.options.onDelivery(next.delivery);
    }
  }

  private end(error?: unknown): void {
    if (this.ended) return;
    this.stop();
    this.options.onEnd(error);
  }
}
