import type { EventFilter, EventStore, EventSubscription, Logger, RecordedEvent } from '@stave/platform';

const RETRY_MS = 1000;

export interface LogFollowerOptions {
  readonly eventStore: EventStore;
  readonly log: Logger;
  /** The events that are followed; absent: all. */
  readonly filter?: EventFilter;
  readonly onEvents: (events: readonly RecordedEvent[]) => void;
}

/** Follows the event log from its present end until it is stopped. A subscription that ends is replaced after a second, without a gap. */
export class LogFollower {
  private seen = -1;
  private subscription: EventSubscription | undefined;
  private retry: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(private readonly options: LogFollowerOptions) {}

  /** The position up to which events were given to `onEvents`, or were before its start. */
  get position(): number {
    return this.seen;
  }

  /** Subscribes. Throws when the store cannot be reached. */
  async start(): Promise<void> {
    this.seen = await this.options.eventStore.head();
    if (!this.stopped) this.follow();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.retry);
    await this.subscription?.close();
  }

  private follow(): void {
    const { eventStore, filter, log } = this.options;
    this.subscription = eventStore.subscribe({
      after: this.seen,
      filter,
      onEvents: (events, position) => this.receive(events, position),
      onError: error => {
        if (this.stopped) return;
        log.error({ err: error }, 'the subscription to the event store ended; subscribing again');
        this.retry = setTimeout(() => this.follow(), RETRY_MS);
      },
    });
  }

  private receive(events: readonly RecordedEvent[], position: number): void {
    const fresh = events.filter(event => event.position > this.seen);
    this.seen = Math.max(this.seen, position);
    this.options.onEvents(fresh);
  }
}
