import { eventVersions, getOrCreate, type Upcasters } from '@stave/domain';
import type {
  AppendResult,
  EventStore,
  EventSubscription,
  ExpectedRevision,
  NewEvent,
  OrderedAppend,
  ReadAllOptions,
  ReadStreamOptions,
  RecordedEvent,
  SubscribeOptions,
} from '@stave/platform';

/**
 * The log in the current schema, for everything that folds it: events of old versions are upcast when they are read. Publication reads the
 * store itself, since it shows events as written. Who reads a stream needs all of it: `readStream` throws NewerEventError for a version of
 * a newer release. `readAll` and `subscribe` return such events as they were written; the reader must check their versions.
 */
export class UpcastingEventStore implements EventStore {
  /** Upcast events by stored event: all readers in one process get the same object, see SharedFolds. */
  private readonly made = new WeakMap<RecordedEvent, RecordedEvent>();

  private constructor(
    private readonly store: EventStore,
    private readonly versions: Upcasters,
  ) {}

  private static readonly of = new WeakMap<EventStore, EventStore>();

  /** Returns the same instance for the same store, and an instance itself. */
  static from(store: EventStore, versions: Upcasters = eventVersions): EventStore {
    if (store instanceof UpcastingEventStore) return store;
    const create = (): EventStore => new UpcastingEventStore(store, versions);
    return versions === eventVersions ? getOrCreate(UpcastingEventStore.of, store, create) : create();
  }

  append(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): Promise<AppendResult> {
    return this.store.append(stream, events, expected);
  }

  appendInOrder(appends: readonly OrderedAppend[]): Promise<readonly AppendResult[]> {
    return this.store.appendInOrder(appends);
  }

  async readStream(stream: string, options?: ReadStreamOptions): Promise<readonly RecordedEvent[]> {
    const events = await this.store.readStream(stream, options);
    for (const { type, metadata } of events) this.versions.requireKnown(type, metadata.schemaVersion);
    return this.current(events);
  }

  async readAll(options: ReadAllOptions): Promise<readonly RecordedEvent[]> {
    return this.current(await this.store.readAll(options));
  }

  subscribe(options: SubscribeOptions): EventSubscription {
    const onEvents = (events: readonly RecordedEvent[], position: number): void | Promise<void> =>
      options.onEvents(this.current(events), position);
    return this.store.subscribe({ ...options, onEvents });
  }

  head(): Promise<number> {
    return this.store.head();
  }

  ping(): Promise<void> {
    return this.store.ping();
  }

  close(): Promise<void> {
    return this.store.close();
  }

  private current(events: readonly RecordedEvent[]): readonly RecordedEvent[] {
    const old = (event: RecordedEvent): boolean =>
      event.metadata.schemaVersion < this.versions.currentVersion(event.type);
    return events.some(old) ? events.map(event => (old(event) ? this.upcast(event) : event)) : events;
  }

  private upcast(event: RecordedEvent): RecordedEvent {
    const { type, data, metadata } = event;
    return getOrCreate(this.made, event, () => ({
      ...event,
      data: this.versions.toCurrent(type, metadata.schemaVersion, data) as object,
      metadata: { ...metadata, schemaVersion: this.versions.currentVersion(type) },
    }));
  }
}
