import {
  EmbeddedEventStore,
  type AppendResult,
  type EventStore,
  type EventSubscription,
  type ExpectedRevision,
  type NewEvent,
  type OrderedAppend,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  type SubscribeOptions,
} from '@stave/platform';

/** A store with the server's own streams, whose names start with `$`, in memory beside it. They are in no read of all streams. */
export class StoreWithSystemStreams implements EventStore {
  private constructor(
    private readonly store: EventStore,
    private readonly system: EventStore,
  ) {}

  static async over(store: EventStore): Promise<StoreWithSystemStreams> {
    return new StoreWithSystemStreams(store, await EmbeddedEventStore.open({ memory: true }));
  }

  append(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): Promise<AppendResult> {
    if (!stream.startsWith('$')) return this.store.append(stream, events, expected);
    return this.system.append(inside(stream), events, expected);
  }

  /** The server appends to one stream at a time. */
  appendInOrder(appends: readonly OrderedAppend[]): Promise<readonly AppendResult[]> {
    return this.store.appendInOrder(appends);
  }

  async readStream(stream: string, options?: ReadStreamOptions): Promise<readonly RecordedEvent[]> {
    if (!stream.startsWith('$')) return this.store.readStream(stream, options);
    return (await this.system.readStream(inside(stream), options)).map(event => ({ ...event, stream }));
  }

  readAll(options: ReadAllOptions): Promise<readonly RecordedEvent[]> {
    return this.store.readAll(options);
  }

  subscribe(options: SubscribeOptions): EventSubscription {
    return this.store.subscribe(options);
  }

  head(): Promise<number> {
    return this.store.head();
  }

  ping(): Promise<void> {
    return this.store.ping();
  }

  /** The store below stays open. */
  close(): Promise<void> {
    return this.system.close();
  }
}

/** The embedded store accepts no names that start with `$`. */
const inside = (stream: string): string => `system-${stream}`;
