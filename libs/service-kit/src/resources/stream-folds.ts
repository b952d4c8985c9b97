import type { StreamDefinition } from '@stave/domain';
import type { EventStore, RecordedEvent } from '@stave/platform';
import type { FoldSnapshots, Snapshot, Within } from './fold-snapshots.js';
import { later, type AcceptedEntry, type Entry } from './resource-entry.js';
import { SharedFolds } from './shared-folds.js';

/** The events of a request are mostly the first ones that are checked. */
const FIRST_PAGE = 20;
const PAGE = 500;

/** Where the folding of a past state begins. */
export interface Beginning<S> {
  readonly entry: Entry<S>;
  /** A revision that is beyond it, where one is known. */
  readonly upTo?: number;
}

/** Folds the streams of one category, from the last snapshot where that is as good as from the first event. */
export class StreamFolds<S> {
  private readonly shared: SharedFolds<S>;
  readonly blank: Entry<S>;
  readonly snapshots: FoldSnapshots<S>;

  constructor(
    private readonly definition: StreamDefinition<S>,
    private readonly store: EventStore,
  ) {
    this.shared = SharedFolds.of(definition.initial);
    this.blank = this.shared.blank;
    this.snapshots = this.shared.snapshotsOf(store);
  }

  advance(before: Entry<S>, event: RecordedEvent): Entry<S> {
    const after = this.shared.after(before, event) ?? this.folded(before, event);
    this.note(event.stream.slice(this.definition.category.length + 1), after);
    return after;
  }

  /** To be called with every entry that was folded elsewhere. */
  note(id: string, { streamRevision: revision, position, latest: time, state }: Entry<S>): void {
    if (time !== undefined) this.snapshots.note(id, { revision, position, time }, state);
  }

  /** Where the state after those first events that are `within` is folded from. */
  beginning(id: string, within: Within): Beginning<S> {
    return this.begin(id, ({ mark }) => within(mark));
  }

  /** The state after those first events of the stream that are `within`. */
  async asOf(id: string, within: Within): Promise<Entry<S>> {
    const { entry: first, upTo } = this.beginning(id, within);
    let entry = first;
    for (const event of await this.read(id, first, upTo)) {
      const next = this.advance(entry, event);
      if (!within({ revision: next.streamRevision, position: next.position, time: next.latest ?? '' })) break;
      entry = next;
    }
    return entry;
  }

  /**
   * The state before the first event after which it `ends`, and the position of that event; undefined when there is none. What has
   * ended must stay so.
   */
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
   * The state right after the events with this causation id, as its request was answered first; undefined when there are none. None must
   * be at or before the revision `after`.
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

  private begin(id: string, within: (snapshot: Snapshot<S>) => boolean): Beginning<S> {
    const { last, next } = this.snapshots.around(id, within);
    return { entry: last ? entryOf(last) : this.blank, ...(next ? { upTo: next.mark.revision } : {}) };
  }

  private read(id: string, after: Entry<S>, upTo: number | undefined): Promise<readonly RecordedEvent[]> {
    const from = after.streamRevision + 1;
    return this.store.readStream(this.stream(id), { from, ...(upTo === undefined ? {} : { limit: upTo - from + 1 }) });
  }

  private folded(before: Entry<S>, event: RecordedEvent): Entry<S> {
    const { time } = event.metadata;
    const state = this.definition.evolve(before.state, event, time);
    const latest = later(before.latest, time);
    const mark = { streamRevision: event.revision, position: event.position, lastId: event.id };
    const after = latest === undefined ? { state, ...mark } : { state, ...mark, latest };
    this.shared.keep({ event, before, after });
    return after;
  }

  private stream(id: string): string {
    return `${this.definition.category}-${id}`;
  }
}

const entryOf = <S>({ mark, state }: Snapshot<S>): Entry<S> => ({
  state,
  streamRevision: mark.revision,
  position: mark.position,
  latest: mark.time,
});
