import type { SavedField } from '../snapshots/snapshot-fields.js';
import type { Entry } from './resource-entry.js';

/** What a snapshot has of a model. */
export type FoldedModel = {
  readonly entries: Map<string, unknown>;
  readonly ended: Set<string>;
  readonly snapshots: SavedField;
};

interface HandedEvent {
  readonly revision: number;
  readonly position: number;
}

/** Hears which ids enter and leave a model. */
export interface ModelWatcher<S> {
  entered(id: string): void;
  left(id: string, state: S | undefined): void;
}

/** The streams of one category that are in memory: those that live, and those that have ended until they are forgotten. */
export class LiveEntries<S> {
  readonly all = new Map<string, Entry<S>>();
  /** Streams that have ended and whose last event the feed has handed over, in that order. */
  readonly ended = new Set<string>();
  private readonly watchers: ModelWatcher<S>[] = [];
  /** Position of the last event of the feed. */
  private handedUpTo = -1;

  get(id: string): Entry<S> | undefined {
    return this.all.get(id);
  }

  watch(watcher: ModelWatcher<S>): void {
    this.watchers.push(watcher);
  }

  put(id: string, entry: Entry<S>): void {
    const before = this.all.size;
    this.all.set(id, entry);
    if (this.all.size > before) for (const watcher of this.watchers) watcher.entered(id);
  }

  /** Puts an equal entry in the place of this one, unless another one took it before. */
  exchange(id: string, entry: Entry<S>, equal: Entry<S>): void {
    if (this.all.get(id) === entry) this.all.set(id, equal);
  }

  /** Keeps an entry that was read from the log or appended. Returns the newest entry of the stream. */
  keep(id: string, entry: Entry<S>): Entry<S> {
    const known = this.all.get(id);
    if (known && known.streamRevision >= entry.streamRevision) return known;
    if (entry.streamRevision >= 0 && (known || !this.wasForgotten(entry))) this.put(id, entry);
    return entry;
  }

  /** Notes that the feed has handed over the event with this revision and position of the stream, whose newest entry is given. */
  handed(id: string, entry: Entry<S> | undefined, { revision, position }: HandedEvent): void {
    this.handedUpTo = Math.max(this.handedUpTo, position);
    if (entry && revision >= entry.streamRevision && hasEnded(entry.state)) this.ended.add(id);
  }

  /** Notes that a stream has ended by an event of another one. */
  end(id: string): void {
    if (this.all.has(id)) this.ended.add(id);
  }

  forget(id: string): void {
    const entry = this.all.get(id);
    this.ended.delete(id);
    if (!this.all.delete(id)) return;
    for (const watcher of this.watchers) watcher.left(id, entry?.state);
  }

  /** Whether an entry that is not in memory is of a stream that has ended: all its events were handed over, or it shows its own end. */
  private wasForgotten({ state, position }: Entry<S>): boolean {
    return hasEnded(state) || position <= this.handedUpTo;
  }
}

/** Whether a state is the last of its stream: its resource is deleted, or was never created. */
const hasEnded = (state: unknown): boolean =>
  state === undefined || (typeof state === 'object' && state !== null && 'deleted' in state && state.deleted === true);
