import { accept, conflict, refuse, type Decision, type DomainEvent, type StreamDefinition } from '@stave/domain';
import { RefusedError } from '@stave/contracts';
import {
  EventStoreUnavailableError,
  WrongExpectedRevisionError,
  type EventStore,
  type RecordedEvent,
} from '@stave/platform';
import { UpcastingEventStore } from '../events/upcasting-event-store.js';
import type { Within } from './fold-snapshots.js';
import type { SavedField } from '../snapshots/snapshot-fields.js';
import { eventsOfOneCall, type EventContext } from './new-events.js';
import type { AppendAdmission } from '../plans/append-admission.js';
import { causedBy, foldedOn, type AcceptedEntry, type Entry, type Executed } from './resource-entry.js';
import { StreamFolds } from './stream-folds.js';

export type { AcceptedEntry, Entry, Executed } from './resource-entry.js';

const abandonedRefusal = conflict('creation-abandoned', 'this creation took too long and was abandoned; send it again');
const CONFLICT_RETRIES = 50;
const UNKNOWN_RETRIES = 3;

/**
 * All resources of one stream category, folded in memory. The feed keeps it current; commands fold from it and append with the
 * expected revision, so a stale entry costs a second try and never a wrong decision.
 */
export class ResourceModel<S> {
  private readonly entries = new Map<string, Entry<S>>();
  private readonly folds: StreamFolds<S>;
  private readonly store: EventStore;

  constructor(
    private readonly definition: StreamDefinition<S>,
    store: EventStore,
    private readonly now: () => string = () => new Date().toISOString(),
  ) {
    this.store = UpcastingEventStore.from(store);
    this.folds = new StreamFolds(definition, this.store);
  }

  get category(): string {
    return this.definition.category;
  }

  get folded(): { readonly entries: Map<string, unknown>; readonly snapshots: SavedField } {
    return { entries: this.entries, snapshots: this.folds.snapshots };
  }

  stream(id: string): string {
    return `${this.category}-${id}`;
  }

  /** As far as this process has seen; cheap. */
  get(id: string): S | undefined {
    return this.entries.get(id)?.state;
  }

  entry(id: string): Entry<S> | undefined {
    return this.entries.get(id);
  }

  /** Every id there ever was: what is deleted stays. */
  ids(): Iterable<string> {
    return this.entries.keys();
  }

  get size(): number {
    return this.entries.size;
  }

  all(): Iterable<readonly [string, Entry<S>]> {
    return this.entries;
  }

  /** Takes in an event of the feed; false when it was folded before. */
  apply(event: RecordedEvent): boolean {
    const id = event.stream.slice(this.category.length + 1);
    const entry = this.entries.get(id) ?? this.folds.blank;
    if (event.revision <= entry.streamRevision) return false;
    this.entries.set(id, this.folds.advance(entry, event));
    return true;
  }

  /** Everything that is in the log now. */
  async load(id: string): Promise<Entry<S>> {
    let entry = this.entries.get(id) ?? this.folds.blank;
    const events = await this.store.readStream(this.stream(id), { from: entry.streamRevision + 1 });
    for (const event of events) if (event.revision > entry.streamRevision) entry = this.folds.advance(entry, event);
    return this.keep(id, entry);
  }

  /**
   * Decides on the current state and appends what follows. Repeats when another writer came first; the decision is made again
   * each time. Throws RefusedError, EventStoreUnavailableError.
   */
  async execute<E extends DomainEvent>(
    id: string,
    decide: (state: S, entry: Entry<S>) => Decision<E>,
    context: EventContext | ((state: S) => EventContext),
  ): Promise<Executed<S>> {
    return this.executeFrom(this.entries.get(id) ?? (await this.load(id)), id, decide, context);
  }

  /**
   * As `execute`, for what follows from events: where this process sees nothing to do, the store is not asked, since the event that
   * changes that will come and bring the decision back.
   */
  async settle<E extends DomainEvent>(
    id: string,
    decide: (state: S) => Decision<E>,
    context: EventContext | ((state: S) => EventContext),
  ): Promise<Executed<S>> {
    return this.executeFrom(this.entries.get(id) ?? (await this.load(id)), id, decide, context, false);
  }

  private async executeFrom<E extends DomainEvent>(
    first: Entry<S>,
    id: string,
    decide: (state: S, entry: Entry<S>) => Decision<E>,
    context: EventContext | ((state: S) => EventContext),
    confirmsNothing = true,
  ): Promise<Executed<S>> {
    let entry = first;
    for (let attempt = 0; ; attempt++) {
      const decision = decide(entry.state, entry);
      if (!decision.ok || decision.events.length === 0) {
        // nothing is appended, so no expected revision has shown that the entry is current
        const fresh = attempt === 0 && (confirmsNothing || !decision.ok) ? await this.load(id) : entry;
        if (fresh.streamRevision !== entry.streamRevision) {
          entry = fresh;
          continue;
        }
        if (!decision.ok) throw new RefusedError(decision.refusal);
        return { state: entry.state, position: undefined };
      }
      try {
        const about = typeof context === 'function' ? context(entry.state) : context;
        const next = about.admission
          ? await this.appendAdmitted(id, entry, decision.events, { ...about, admission: about.admission })
          : await this.append(id, entry, decision.events, about);
        if (next === undefined) {
          entry = await this.load(id);
          continue;
        }
        return { state: next.state, position: next.position };
      } catch (error) {
        if (!(error instanceof WrongExpectedRevisionError) || attempt >= CONFLICT_RETRIES) throw error;
        entry = await this.load(id);
      }
    }
  }

  /**
   * Makes a resource, once: nothing happens when it exists. What this process has not heard of is taken as new, and the log asked only
   * when the append shows otherwise. Throws RefusedError `creation-abandoned` when its maker was abandoned
   * meanwhile and the name or place is another's.
   */
  create<E extends DomainEvent>(
    id: string,
    exists: (state: S) => boolean,
    decide: () => Decision<E>,
    context: EventContext,
  ): Promise<Executed<S>> {
    return this.executeFrom<E>(
      this.entries.get(id) ?? this.folds.blank,
      id,
      (state, { streamRevision }) => {
        if (exists(state)) return accept();
        return streamRevision < 0 ? decide() : refuse(abandonedRefusal);
      },
      context,
    );
  }

  /**
   * The state right after the events with this causation id, as its request was answered first; undefined when there are none. None must
   * be at or before the revision `after`.
   */
  asAccepted(id: string, causationId: string, after?: number): Promise<AcceptedEntry<S> | undefined> {
    return this.folds.asAccepted(id, causationId, after);
  }

  /** The state after those first events of the stream that are `within`. */
  asOf(id: string, within: Within): Promise<Entry<S>> {
    return this.folds.asOf(id, within);
  }

  /** The last state that has not ended, and the position of the event that ended it. What has ended must stay so. */
  until(id: string, ends: (state: S) => boolean): Promise<{ readonly last: Entry<S>; readonly end?: number }> {
    return this.folds.until(id, ends);
  }

  /**
   * For a model of the past: takes over the last known state of the resource that is within, or the one given. What is to be handed to
   * `apply` then are the events from a revision on, which is the last one of that state (what others make of events see that one); beyond
   * the other one nothing is within.
   */
  beginAt(id: string, within: Within, known?: Entry<S>): { readonly from: number; readonly upTo?: number } {
    const { entry, upTo } = known ? { entry: known, upTo: known.streamRevision } : this.folds.beginning(id, within);
    if (entry.streamRevision >= 0) this.entries.set(id, entry);
    return { from: Math.max(0, entry.streamRevision), ...(upTo === undefined ? {} : { upTo }) };
  }

  /** Resolves to undefined where the entry was not current: the decision must be repeated. */
  private async appendAdmitted(
    id: string,
    entry: Entry<S>,
    decided: readonly DomainEvent[],
    context: EventContext & { readonly admission: AppendAdmission },
  ): Promise<Entry<S> | undefined> {
    if ((await this.load(id)).streamRevision !== entry.streamRevision) return undefined;
    const { admission } = context;
    const events = await admission.marked(decided);
    const next = foldedOn(this.definition, entry, events, { time: this.now(), position: entry.position });
    const write = { stream: this.stream(id), after: entry.streamRevision, events };
    const admitted = await admission.admits({ ...write, states: [entry.state, next.state] });
    return admitted ? this.append(id, entry, events, context) : next;
  }

  private async append(
    id: string,
    entry: Entry<S>,
    events: readonly DomainEvent[],
    context: EventContext,
  ): Promise<Entry<S>> {
    const stream = this.stream(id);
    const time = this.now();
    const caused = { ...causedBy(entry), ...context };
    const fresh = eventsOfOneCall(stream, entry.streamRevision, events, caused, time);
    const lastId = fresh.at(-1)?.id ?? '';
    const expected = entry.streamRevision < 0 ? 'no_stream' : entry.streamRevision;
    for (let attempt = 0; ; attempt++) {
      try {
        const result = await this.store.append(stream, fresh, expected);
        const next = foldedOn(this.definition, entry, events, { time, position: result.position, lastId });
        this.folds.note(id, next);
        return this.keep(id, next);
      } catch (error) {
        if (!(error instanceof EventStoreUnavailableError) || attempt >= UNKNOWN_RETRIES) throw error;
      }
    }
  }

  private keep(id: string, entry: Entry<S>): Entry<S> {
    const known = this.entries.get(id);
    if (known && known.streamRevision >= entry.streamRevision) return known;
    if (entry.streamRevision >= 0) this.entries.set(id, entry);
    return entry;
  }
}
