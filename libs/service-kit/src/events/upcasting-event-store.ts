import { eventVersions, type Upcasters } from '@stave/domain';
import type {
  AppendResult,
  EventStore,
  EventSubscription,
  ExpectedRevision,
  NewEvent,
  ReadAllOptions,
  ReadStreamOptions,
  RecordedEvent,
  SubscribeOptions,
} from '@stave/platform';

/**
 * The log in the current schema, for all who fold it: events of old versions are upcast when they are read. History and publication
 * read the store itself, since they show what was written. Throws NewerEventError where a newer release has written.
 */
export class UpcastingEventStore implements EventStore {
  /** By stored event: who follows the same streams in one process gets the same object, see SharedFolds. */
  private readonly made = new WeakMap<RecordedEvent, RecordedEvent>();

  private constructor(
    private readonly store: EventStore,
    private readonly versions: Upcasters,
  ) {}

  private static readonly of = new WeakMap<EventStore, UpcastingEventStore>();

  /** One for each store; asked with one, it is the answer. */
  static from(store: EventStore, versions: Upcasters = eventVersions): EventStore {
    if (store instanceof UpcastingEventStore) return store;
    const known = versions === eventVersions ? UpcastingEventStore.of.get(store) : undefined;
    if (known) return known;
    const made = new UpcastingEventStore(store, versions);
    if (versions === eventVersions) UpcastingEventStore.of.set(store, made);
    return made;
  }

  append(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): Promise<AppendResult> {
    return this.store.append(stream, events, expected);
  }

  async readStream(stream: string, options?: ReadStreamOptions): Promise<readonly RecordedEvent[]> {
    return this.current(await this.store.readStream(stream, options));
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
      event.metadata.schemaVersion !== this.versions.currentVersion(event.type);
    return events.some(old) ? events.map(event => (old(event) ? this.upcast(event) : event)) : events;
  }

  private upcast(event: RecordedEvent): RecordedEvent {
    const known = this.made.get(event);
    if (known) return known;
    const { type, data, metadata } = event;
    const said = this.versions.toCurrent(type, metadata.schemaVersion, data);
    const made = { ...event, data: said, metadata: { ...metadata, schemaVersion: this.versions.currentVersion(type) } };
    this.made.set(event, made);
    return made;
  }
}
