import type { SavedField } from '../snapshots/snapshot-fields.js';

/** How far a stream was folded: revision and position of the last event. */
export interface Mark {
  readonly revision: number;
  readonly position: number;
  /** The latest time of all events: the clocks of several writers may differ. */
  readonly time: string;
}

/** A limit in the past: returns true for every mark up to it, and false for all later marks. */
export type Within = (mark: Mark) => boolean;

export interface Snapshot<S> {
  readonly mark: Mark;
  readonly state: S;
}

/** Events between two snapshots of a stream. */
export const SNAPSHOT_EVERY = 100;
const MAX_SNAPSHOTS = 2_048;

/**
 * Keeps states of long streams that were folded on the way, so that a past state is folded from the last snapshot before it and not from
 * the first event. A cache: the streams that were used last are kept, and snapshots are saved with the state of the process.
 */
export class FoldSnapshots<S> implements SavedField {
  private readonly streams = new Map<string, readonly Snapshot<S>[]>();
  private count = 0;

  constructor(private readonly most = MAX_SNAPSHOTS) {}

  /** Keeps the state where a snapshot is due. */
  note(id: string, mark: Mark, state: S): void {
    if (mark.revision < SNAPSHOT_EVERY) return;
    const known = this.streams.get(id) ?? [];
    const at = known.findLastIndex(s => s.mark.revision <= mark.revision);
    if (mark.revision - (known[at]?.mark.revision ?? 0) < SNAPSHOT_EVERY) return;
    this.touch(id, [...known.slice(0, at + 1), { mark, state }, ...known.slice(at + 1)]);
    this.count++;
    this.drop(id);
  }

  /** Returns the last snapshot within the limit, and the first beyond it. */
  around(id: string, within: (snapshot: Snapshot<S>) => boolean): { last?: Snapshot<S>; next?: Snapshot<S> } {
    const known = this.streams.get(id);
    if (!known) return {};
    this.touch(id, known);
    return { last: known.findLast(within), next: known.find(snapshot => !within(snapshot)) };
  }

  save(): unknown {
    return new Map(this.streams);
  }

  /** Keeps existing snapshots: the services of one process share them. */
  restore(saved: unknown): void {
    for (const [id, snapshots] of saved as Map<string, readonly Snapshot<S>[]>) {
      if (this.streams.has(id)) continue;
      this.streams.set(id, snapshots);
      this.count += snapshots.length;
    }
  }

  private touch(id: string, snapshots: readonly Snapshot<S>[]): void {
    this.streams.delete(id);
    this.streams.set(id, snapshots);
  }

  /** Drops the least recently used streams; of a stream that is too long alone, its oldest snapshots. */
  private drop(inUse: string): void {
    if (this.count <= this.most) return;
    for (const [id, snapshots] of this.streams) {
      if (this.count <= this.most) return;
      if (id === inUse) this.touch(id, snapshots.slice(1));
      else this.streams.delete(id);
      this.count -= id === inUse ? 1 : snapshots.length;
    }
  }
}
