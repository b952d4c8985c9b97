import { getOrCreate, type DomainEvent, type StreamDefinition } from '@stave/domain';
import { idOf, type EventStore, type RecordedEvent } from '@stave/platform';
import { FoldSnapshots, SNAPSHOT_EVERY, type Snapshot, type Within } from './fold-snapshots.js';
import { UnknownEvents } from '../events/known-events.js';
import { UpcastingEventStore } from '../events/upcasting-event-store.js';
import { later, type AcceptedEntry, type Entry } from './resource-entry.js';

const REMEMBERED_STEPS = 8192;
/** Models of one process are at most a few pages of events apart. */
const AWAITED_STEPS = 1024;

interface Step<S> {
  readonly event: RecordedEvent;
  readonly before: Entry<S>;
  readonly after: Entry<S>;
}

/** Who has an entry of its own after the event, and takes the one that another model folds. */
interface AwaitedStep {
  readonly event: RecordedEvent;
  readonly take: (folded: Entry<unknown>) => void;
}

const byDefinition = new WeakMap<object, SharedFolds<unknown>>();

/**
 * The last steps of folding, so that services of one process that follow the same streams fold an event once and hold one state. A step
 * is reused only for the same event object after the same entry object; states never change, and `evolve` is pure. Steps are held weakly:
 * old states of large groups must not stay in memory.
 */
class SharedFolds<S> {
  /** The entry before the first event. */
  readonly blank: Entry<S>;
  private readonly snapshots = new WeakMap<object, FoldSnapshots<S>>();
  private readonly steps = new Array<WeakRef<Step<S>> | undefined>(REMEMBERED_STEPS).fill(undefined);
  private readonly awaited = new Array<AwaitedStep | undefined>(AWAITED_STEPS).fill(undefined);

  /** The number of models that were made with this definition. */
  private users = 0;

  private constructor(initial: S) {
    this.blank = { state: initial, streamRevision: -1, position: -1, latest: '' };
  }

  /** Returns the instance for all models with this definition. */
  static of<S>(definition: StreamDefinition<S>): SharedFolds<S> {
    // every state folded by the definition is of S
    const made = getOrCreate(
      byDefinition,
      definition,
      () => new SharedFolds<unknown>(definition.initial),
    ) as SharedFolds<S>;
    made.users += 1;
    return made;
  }

  /** Returns the snapshots of the streams of this store. */
  snapshotsOf(store: object): FoldSnapshots<S> {
    return getOrCreate(this.snapshots, store, () => new FoldSnapshots<S>());
  }

  after(before: Entry<S>, event: RecordedEvent): Entry<S> | undefined {
    const step = this.steps[event.position % REMEMBERED_STEPS]?.deref();
    return step?.event === event && step.before === before ? step.after : undefined;
  }

  /** Keeps the step for other models; a process mostly has one model of a definition. */
  keep(step: Step<S>): void {
    if (this.users < 2) return;
    const { event, after } = step;
    this.steps[event.position % REMEMBERED_STEPS] = new WeakRef(step);
    const awaited = this.awaited[event.position % AWAITED_STEPS];
    if (awaited?.event !== event) return;
    this.awaited[event.position % AWAITED_STEPS] = undefined;
    awaited.take(after);
  }

  /** Calls `take` with the entry that another model folds from the event, now or soon. */
  await(event: RecordedEvent, take: (folded: Entry<S>) => void): void {
    if (this.users < 2) return;
    const step = this.steps[event.position % REMEMBERED_STEPS]?.deref();
    if (step?.event === event) take(step.after);
    // every entry folded by the definition is of S
    else this.awaited[event.position % AWAITED_STEPS] = { event, take: folded => take(folded as Entry<S>) };
  }
}

/** Whether both are folded from the same events of one stream. */
const isAtSamePlace = <S>(a: Entry<S>, b: Entry<S>): boolean =>
  a.streamRevision === b.streamRevision && a.position === b.position && a.lastId === b.lastId && a.latest === b.latest;

/** The events of a request are mostly among the first that are read. */
const FIRST_PAGE = 20;
const PAGE = 500;

/** The entry from which a past state is folded. */
interface Beginning<S> {
  readonly entry: Entry<S>;
  /** A revision beyond the past state, where one is known. */
  readonly upTo?: number;
}

/** Folds the streams of one category: past states, from the last snapshot before them. */
export class StreamFolds<S> {
  protected readonly store: EventStore;
  protected readonly blank: Entry<S>;
  protected readonly snapshots: FoldSnapshots<S>;
  protected readonly unknown: UnknownEvents;
  private readonly shared: SharedFolds<S>;

  constructor(
    protected readonly definition: StreamDefinition<S>,
    store: EventStore,
  ) {
    this.store = UpcastingEventStore.from(store);
    this.unknown = new UnknownEvents(definition.category);
    this.shared = SharedFolds.of(definition);
    this.blank = this.shared.blank;
    this.snapshots = this.shared.snapshotsOf(this.store);
  }

  get category(): string {
    return this.definition.category;
  }

  stream(id: string): string {
    return `${this.category}-${id}`;
  }

  /** Returns the state that these events would lead to now. */
  stateAfter(before: S, events: readonly DomainEvent[]): S {
    const time = new Date().toISOString();
    return events.reduce((state, event) => this.definition.evolve(state, event, time), before);
  }

  protected advance(before: Entry<S>, event: RecordedEvent): Entry<S> {
    this.unknown.note(event);
    const after = this.shared.after(before, event) ?? this.foldOne(before, event);
    this.note(idOf(event), after);
    return after;
  }

  /**
   * Calls `take` where the event is the last one of this entry, and another model of the process folds it to an entry of its own: both then
   * hold one state instead of two.
   */
  protected shareAfter(
    event: RecordedEvent,
    own: Entry<S> | undefined,
    take: (own: Entry<S>, folded: Entry<S>) => void,
  ): void {
    if (own?.streamRevision !== event.revision) return;
    this.shared.await(event, folded => {
      if (folded !== own && isAtSamePlace(folded, own)) take(own, folded);
    });
  }

  /** Offers an entry as a snapshot; to be called with every entry that was folded elsewhere. */
  protected note(id: string, { streamRevision: revision, position, latest: time, state }: Entry<S>): void {
    if (time !== undefined && revision >= SNAPSHOT_EVERY) this.snapshots.note(id, { revision, position, time }, state);
  }

  /** Returns the state after the events within the limit. */
  async asOf(id: string, within: Within): Promise<Entry<S>> {
    const { entry: first, upTo } = this.begin(id, ({ mark }) => within(mark));
    let entry = first;
    for (const event of await this.read(id, first, upTo)) {
      const next = this.advance(entry, event);
      if (!within({ revision: next.streamRevision, position: next.position, time: next.latest ?? '' })) break;
      entry = next;
    }
    return entry;
  }

  /** Returns the state before the first event after which it `ends`, and the position of that event. An ended state must stay ended. */
  async until(id: string, ends: (state: S) => boolean): Promise<{ readonly last: Entry<S>; readonly end?: number }> {
    const { entry: first, upTo } = this.begin(id, ({ state }) => !ends(state));
    let last = first;
    for (const event of await this.read(id, first, upTo)) {
      const next = this.advance(last, event);
      if (ends(next.state)) return { last, end: event.position };
      last = next;
    }
    return { last };
  }

  /**
   * Returns the state right after the events with this causation id, as its request was answered first; undefined when there are none.
   * The caller knows that none is at or before the revision `after`.
   */
  async asAccepted(id: string, causationId: string, after = -1): Promise<AcceptedEntry<S> | undefined> {
    let { entry } = this.begin(id, ({ mark }) => mark.revision <= after);
    let found: AcceptedEntry<S> | undefined;
    for (let limit = FIRST_PAGE; ; limit = PAGE) {
      const from = entry.streamRevision + 1;
      const page = await this.store.readStream(this.stream(id), { from, limit });
      for (const event of page) {
        if (found && event.metadata.causationId !== causationId) return found;
        entry = this.advance(entry, event);
        if (event.metadata.causationId === causationId) found = { ...entry, events: [...(found?.events ?? []), event] };
      }
      if (page.length < limit) return found;
    }
  }

  /** Reads one event of the stream. Throws RangeError for a revision that the stream does not have. */
  async eventAt(id: string, revision: number): Promise<RecordedEvent> {
    const [event] = await this.store.readStream(this.stream(id), { from: revision, limit: 1 });
    if (!event) throw new RangeError(`${this.stream(id)} has no event ${revision}`);
    return event;
  }

  /** Returns the last snapshot within the limit as an entry, or the blank one. */
  protected begin(id: string, within: (snapshot: Snapshot<S>) => boolean): Beginning<S> {
    const { last, next } = this.snapshots.around(id, within);
    return { entry: last ? entryOf(last) : this.blank, upTo: next?.mark.revision };
  }

  private read(id: string, after: Entry<S>, upTo: number | undefined): Promise<readonly RecordedEvent[]> {
    const from = after.streamRevision + 1;
    return this.store.readStream(this.stream(id), { from, ...(upTo === undefined ? {} : { limit: upTo - from + 1 }) });
  }

  private foldOne(before: Entry<S>, event: RecordedEvent): Entry<S> {
    const { time } = event.metadata;
    const state = this.definition.evolve(before.state, event, time);
    const latest = later(before.latest, time);
    const { revision: streamRevision, position, id: lastId } = event;
    const after: Entry<S> =
      latest === undefined
        ? { state, streamRevision, position, lastId }
        : { state, streamRevision, position, lastId, latest };
    this.shared.keep({ event, before, after });
    return after;
  }
}

const entryOf = <S>({ mark, state }: Snapshot<S>): Entry<S> => ({
  state,
  streamRevision: mark.revision,
  position: mark.position,
  latest: mark.time,
});
