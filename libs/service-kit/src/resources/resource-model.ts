import { accept, conflict, NewerEventError, notFound, refuse, type Decision, type DomainEvent } from '@stave/domain';
import { RefusedError } from '@stave/contracts';
import { idOf, type RecordedEvent } from '@stave/platform';
import type { Within } from './fold-snapshots.js';
import { LiveEntries, type FoldedModel, type ModelWatcher } from './live-entries.js';
import { appendAfter } from './appends-ahead.js';
import { afterConflict } from './conflicts.js';
import { eventsOfOneCall, type EventContext } from './new-events.js';
import type { AppendAdmission } from '../plans/append-admission.js';
import type { AppendGuard } from './append-guard.js';
import type { QuotaGuard } from '../quotas/quota-guard.js';
import { causedBy, foldedOn, type Entry, type Executed } from './resource-entry.js';
import { StreamFolds } from './stream-folds.js';

export type { AcceptedEntry, Entry, Executed } from './resource-entry.js';

const abandonedRefusal = conflict('creation-abandoned', 'this creation took too long and was abandoned; send it again');

/**
 * The living resources of one stream category, folded in memory. The feed keeps them current. Commands decide on these states and append with the expected
 * revision, so a stale entry costs a second attempt and never a wrong decision. A resource that does not exist has no state, although its stream may have
 * events: its creation was abandoned. Streams that have ended are forgotten, see `EndedStreams`. `Absent` is `never` for streams that have a state from the start.
 */
export class ResourceModel<S, Absent extends undefined = undefined> extends StreamFolds<S | Absent> {
  private readonly live = new LiveEntries<S | Absent>();
  /** Asked before changes of a resource are appended; absent: what resources of this type take is not limited. */
  quota?: QuotaGuard<S>;
  /** Asked last before events of a resource that exists are appended; absent: nothing else has to be prepared for them. */
  guard?: AppendGuard<S>;

  /** As in "the node group does not exist". */
  get description(): string {
    return `the ${this.category.replaceAll(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)}`;
  }

  get folded(): FoldedModel {
    return { entries: this.live.all, ended: this.live.ended, snapshots: this.snapshots };
  }

  /** Returns the state as far as this process has seen the stream, without reading the log. */
  get(id: string): S | undefined {
    return this.live.get(id)?.state;
  }

  /** Returns what this process has folded of the stream; undefined before its first event. */
  entry(id: string): Entry<S | Absent> | undefined {
    return this.live.get(id);
  }

  /** Returns the id of every stream in memory, in the order of their first events; those that have ended are included until they are forgotten. */
  ids(): Iterable<string> {
    return this.live.all.keys();
  }

  get size(): number {
    return this.live.all.size;
  }

  all(): Iterable<readonly [string, Entry<S | Absent>]> {
    return this.live.all;
  }

  /** Calls the watcher for every id that enters or leaves the model from now on. */
  watch(watcher: ModelWatcher<S | Absent>): void {
    this.live.watch(watcher);
  }

  /** Returns the ids of streams that have ended, by the events of the feed, and were not forgotten. */
  get ended(): ReadonlySet<string> {
    return this.live.ended;
  }

  /** Notes that a stream has ended by an event of another stream, such as the end of what it belongs to. */
  end(id: string): void {
    this.live.end(id);
  }

  /** Removes a stream that has ended from memory. */
  forget(id: string): void {
    this.live.forget(id);
  }

  /** Folds an event of the feed. Returns false when it was folded before, or follows the end of a stream that was forgotten. */
  apply(event: RecordedEvent): boolean {
    const id = idOf(event);
    const known = this.live.get(id);
    const isNew = known === undefined ? event.revision === 0 : event.revision > known.streamRevision;
    const entry = isNew ? this.advance(known ?? this.blank, event) : known;
    if (isNew && entry) this.live.put(id, entry);
    else this.shareAfter(event, known, (own, folded) => this.live.exchange(id, own, folded));
    this.live.handed(id, entry, event);
    return isNew;
  }

  /** Reads the log, and returns the current state. Throws NewerEventError where a newer release wrote a part of it. */
  async load(id: string): Promise<Entry<S | Absent>> {
    let entry = this.live.get(id) ?? this.blank;
    const events = await this.store.readStream(this.stream(id), { from: entry.streamRevision + 1 });
    for (const event of events) if (event.revision > entry.streamRevision) entry = this.advance(entry, event);
    return this.live.keep(id, entry);
  }

  /** As `load`, for reads: of a stream with an event that this release cannot read, what this process knows. */
  async lookUp(id: string): Promise<Entry<S | Absent>> {
    try {
      return await this.load(id);
    } catch (error) {
      const known = this.live.get(id);
      if (!known || !(error instanceof NewerEventError)) throw error;
      return known;
    }
  }

  /** As `load`, for a resource that exists. Throws RefusedError `not-found`. */
  async loadExisting(id: string): Promise<Entry<S>> {
    return this.existing(await this.load(id));
  }

  /** Returns the entry of a resource that exists. Throws RefusedError `not-found`. */
  existing<E extends Pick<Entry<S | undefined>, 'state'>>(entry: E): E & { readonly state: S } {
    if (entry.state !== undefined) return entry as E & { readonly state: S };
    throw new RefusedError(notFound(this.description));
  }

  /** Decides on the current state and appends. Decides again when another writer was first. Throws RefusedError, also `not-found`, and EventStoreUnavailableError. */
  async execute<E extends DomainEvent>(
    id: string,
    decide: (state: S, entry: Entry<S>) => Decision<E>,
    context: EventContext | ((state: S) => EventContext),
  ): Promise<Executed<S>> {
    const first = this.live.get(id) ?? (await this.load(id));
    return this.executeFrom(first, id, this.onExisting(decide), context);
  }

  /**
   * As `execute`, for reconcilers: where this process sees nothing to do, the store is not read. The event that changes that will arrive
   * and cause another decision.
   */
  async settle<E extends DomainEvent>(
    id: string,
    decide: (state: S) => Decision<E>,
    context: EventContext | ((state: S) => EventContext),
  ): Promise<Executed<S>> {
    const first = this.live.get(id) ?? (await this.load(id));
    return this.executeFrom(first, id, this.onExisting(decide), context, false);
  }

  private onExisting<E extends DomainEvent>(decide: (state: S, entry: Entry<S>) => Decision<E>) {
    return (entry: Entry<S | undefined>): Decision<E> => {
      const known = this.existing(entry);
      return decide(known.state, known);
    };
  }

  private async executeFrom<E extends DomainEvent>(
    first: Entry<S | Absent>,
    id: string,
    decide: (entry: Entry<S | Absent>) => Decision<E>,
    context: EventContext | ((state: S) => EventContext),
    confirmsNothing = true,
  ): Promise<Executed<S>> {
    let entry = first;
    for (let attempt = 0; ; attempt++) {
      this.unknown.requireNone(this.stream(id));
      const decision = decide(entry);
      if (!decision.ok || decision.events.length === 0) {
        // nothing is appended, so no expected revision has shown that the entry is current
        const fresh = attempt === 0 && (confirmsNothing || !decision.ok) ? await this.load(id) : entry;
        if (fresh.streamRevision !== entry.streamRevision) {
          entry = fresh;
          continue;
        }
        if (!decision.ok) throw new RefusedError(decision.refusal);
        return { state: this.existing(entry).state, position: undefined };
      }
      try {
        const of = typeof context === 'function' ? context(this.existing(entry).state) : context;
        const done = of.admission
          ? await this.appendAdmitted(id, entry, decision.events, { ...of, admission: of.admission })
          : await this.append(id, entry, decision.events, of);
        if (done) return this.existing(done);
        entry = await this.load(id);
      } catch (error) {
        await afterConflict(error, this.stream(id), attempt);
        entry = await this.load(id);
      }
    }
  }

  /**
   * Creates a resource, once: nothing happens when it exists. A resource that this process does not know is taken as new; the log is read
   * only when the append fails. Throws RefusedError `creation-abandoned` when the creation took so long that another request took the name.
   */
  create<E extends DomainEvent>(id: string, decide: () => Decision<E>, context: EventContext): Promise<Executed<S>> {
    const decideOn = ({ state, streamRevision }: Entry<S | Absent>): Decision<E> => {
      if (state !== undefined) return accept();
      return streamRevision < 0 ? decide() : refuse(abandonedRefusal);
    };
    return this.executeFrom(this.live.get(id) ?? this.blank, id, decideOn, context);
  }

  /**
   * Starts a past state from the last snapshot within the limit, or from the known state. Returns the revisions to be fed to `apply`:
   * `from` is the last event of the state itself, since listeners need it; beyond `upTo` no event is within the limit.
   */
  beginAt(id: string, within: Within, known?: Entry<S | Absent>): { readonly from: number; readonly upTo?: number } {
    const { entry, upTo } = known
      ? { entry: known, upTo: known.streamRevision }
      : this.begin(id, ({ mark }) => within(mark));
    if (entry.streamRevision >= 0) this.live.put(id, entry);
    return { from: Math.max(0, entry.streamRevision), upTo };
  }

  /** Resolves to undefined where the entry was not current: the decision must be repeated. A dry run appends nothing, and has no position. */
  private async appendAdmitted(
    id: string,
    entry: Entry<S | Absent>,
    decided: readonly DomainEvent[],
    context: EventContext & { readonly admission: AppendAdmission },
  ): Promise<Executed<S | Absent> | undefined> {
    if ((await this.load(id)).streamRevision !== entry.streamRevision) return undefined;
    const { admission } = context;
    const events = await admission.marked(decided);
    const next = foldedOn(this.definition, entry, events, { time: new Date().toISOString(), position: entry.position });
    const write = { stream: this.stream(id), after: entry.streamRevision, events };
    if (await admission.admits({ ...write, states: [entry.state, next.state] }))
      return this.append(id, entry, events, context);
    if (entry.state !== undefined) await this.quota?.checkChange(id, this.existing(entry), events, context);
    return { state: next.state, position: undefined };
  }

  private async append(
    id: string,
    entry: Entry<S | Absent>,
    events: readonly DomainEvent[],
    context: EventContext,
  ): Promise<Entry<S | Absent>> {
    const stream = this.stream(id);
    const time = new Date().toISOString();
    const fresh = eventsOfOneCall(events, { ...causedBy(entry), ...context }, time);
    const lastId = fresh.at(-1)?.id ?? '';
    const expected = entry.streamRevision < 0 ? 'no_stream' : entry.streamRevision;
    if (entry.state !== undefined) await this.quota?.reserveChange(id, this.existing(entry), events, context);
    if (entry.state !== undefined) await this.guard?.before(id, this.existing(entry), events, context);
    const { position } = await appendAfter(context.ahead, this.store, { stream, events: fresh, expected });
    const next = foldedOn(this.definition, entry, events, { time, position, lastId });
    this.note(id, next);
    return this.live.keep(id, next);
  }
}
