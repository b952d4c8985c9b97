import {
  oneAfterOther,
  type AppendResult,
  type EventStore,
  type EventSubscription,
  type EventMetadata,
  type ExpectedRevision,
  type NewEvent,
  type OrderedAppend,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  type SubscribeOptions,
} from '@stave/platform';

/** An append that is durable but not answered yet. */
export interface SeenAppend {
  readonly stream: string;
  readonly types: readonly string[];
  readonly metadata: EventMetadata;
}

/**
 * An event store that reports every append when it is durable and before it is answered, so that a process can be
 * killed exactly between an append and its next action. Repeated appends are not reported.
 */
export class WatchedStore implements EventStore {
  private readonly positions = new Set<number>();
  private readonly listeners: ((append: SeenAppend) => void)[] = [];
  private lastAt = performance.now();

  constructor(private readonly inner: EventStore) {}

  onAppend(listener: (append: SeenAppend) => void): void {
    this.listeners.push(listener);
  }

  /** Milliseconds since the last append. */
  get quietMs(): number {
    return performance.now() - this.lastAt;
  }

  async append(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): Promise<AppendResult> {
    const result = await this.inner.append(stream, events, expected);
    const [first] = events;
    if (first === undefined || this.positions.has(result.position)) return result;
    this.positions.add(result.position);
    this.lastAt = performance.now();
    const seen = { stream, types: events.map(({ type }) => type), metadata: first.metadata };
    for (const listener of this.listeners) listener(seen);
    return result;
  }

  /** One after the other, so that each is reported. */
  appendInOrder(appends: readonly OrderedAppend[]): Promise<readonly AppendResult[]> {
    return oneAfterOther(this, appends);
  }

  readStream(stream: string, options?: ReadStreamOptions): Promise<readonly RecordedEvent[]> {
    return this.inner.readStream(stream, options);
  }

  readAll(options: ReadAllOptions): Promise<readonly RecordedEvent[]> {
    return this.inner.readAll(options);
  }

  subscribe(options: SubscribeOptions): EventSubscription {
    return this.inner.subscribe(options);
  }

  head(): Promise<number> {
    return this.inner.head();
  }

  ping(): Promise<void> {
    return this.inner.ping();
  }

  close(): Promise<void> {
    return this.inner.close();
  }
}
