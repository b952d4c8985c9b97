import { setImmediate } from 'node:timers';
import type { ClientReadableStream } from '@grpc/grpc-js';
import { convertToCommandError } from '@eventstore/db-client';
import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { EventFilter, RecordedEvent } from '../event-store.port.js';
import type { StoreClient } from './store-client.js';
import type { StreamNames } from './stream-names.js';
import { receivedEvent } from './translate.js';

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

type Call = ClientReadableStream<ReadResp>;

/** One subscription at the server until it ends for any reason. Deliveries have the order in which the server sent them. */
export class SubscriptionFeed {
  private call: Call | undefined;
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

  private use(call: Call): void {
    this.call = call;
    call
      .on('data', (response: ReadResp) => this.receive(response))
      .on('error', (error: Error) => this.end(convertToCommandError(error)))
      .on('end', () => this.end());
    if (this.ended) this.stop();
    else if (this.paused) call.pause();
  }

  private receive(response: ReadResp): void {
    if (this.ended) return;
    const { onDelivery, names } = this.options;
    const resolved = response.getEvent();
    const event = resolved && receivedEvent(resolved, names);
    if (event) return onDelivery({ kind: 'event', event });
    const checkpoint = response.getCheckpoint();
    if (checkpoint) onDelivery({ kind: 'position', position: Number(checkpoint.getCommitPosition()) });
    else if (response.hasCaughtUp()) onDelivery({ kind: 'caught-up' });
  }

  private end(error?: unknown): void {
    if (this.ended) return;
    this.stop();
    this.options.onEnd(error);
  }
}
