import { setImmediate } from 'node:timers';
import { convertToCommandError } from '@eventstore/db-client';
import type { EventFilter, RecordedEvent } from '../event-store.port.js';
import type { ReadCall, StoreClient } from './store-client.js';
import type { StreamNames } from './stream-names.js';
import type { ReadResponse } from './wire/read-response.js';

/** An event, the position up to which the server has considered events, or that the subscription is live. */
export type Delivery =
  | { readonly kind: 'event'; readonly event: RecordedEvent }
  | { readonly kind: 'position'; readonly position: number }
  | { readonly kind: 'caught-up' };

export interface FeedOptions {
  readonly client: Pick<StoreClient, 'subscribeSelected'>;
  readonly names: StreamNames;
  readonly after: number;
  readonly filter?: EventFilter;
  readonly onDelivery: (delivery: Delivery) => void;
  /** Called once, when no more deliveries will follow, with the error that ended the subscription, if any. */
  readonly onEnd: (error?: unknown) => void;
}

/** One subscription at the server until it ends for any reason. Deliveries have the order in which the server sent them. */
export class SubscriptionFeed {
  private call: ReadCall | undefined;
  private paused = false;
  private ended = false;

  constructor(private readonly options: FeedOptions) {
    const { client, names, after, filter } = options;
    client.subscribeSelected({ after, select: names.selection(filter) }).then(
      call => this.use(call),
      (error: unknown) => this.end(error),
    );
  }

  pause(): void {
    this.paused = true;
    this.call?.pause();
  }

  resume(): void {
    if (!this.paused) return;
    this.paused = false;
    this.call?.resume();
  }

  /** Ends the deliveries. Later errors of the subscription are ignored. */
  stop(): void {
    this.ended = true;
    const { call } = this;
    // a call that is cancelled within its own callback can fail, see grpc-node issue 1652
    if (call) setImmediate(() => call.cancel());
  }

  private use(call: ReadCall): void {
    this.call = call;
    call
      .on('data', (response: ReadResponse) => this.receive(response))
      .on('error', (error: Error) => this.end(convertToCommandError(error)))
      .on('end', () => this.end());
    if (this.ended) this.stop();
    else if (this.paused) call.pause();
  }

  private receive(response: ReadResponse): void {
    if (this.ended || response.kind === 'other') return;
    const { onDelivery } = this.options;
    if (response.kind !== 'entry') return onDelivery(response);
    if (response.event) onDelivery({ kind: 'event', event: response.event });
  }

  private end(error?: unknown): void {
    if (this.ended) return;
    this.stop();
    this.options.onEnd(error);
  }
}
