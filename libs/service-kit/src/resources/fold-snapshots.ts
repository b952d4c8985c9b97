import type { SavedField } from '../snapshots/snapshot-fields.js';

/** How far a stream was folded. */
export interface Mark {
  /** Of the last event. */
  readonly revision: number;
  readonly position: number;
  /** The latest of all events: clocks of several writers may differ. */
  readonly time: string;
}

/** Says of a mark whether it is not too far; true of all before one of which it is true. */
export type Within = (mark: Mark) => boolean;

export interface Snapshot<S> {
  readonly mark: Mark;
  readonly state: S;
}

/** Between two snapshots of a stream. */
export const SNAPSHOT_EVERY = 100;
const MOST = 2_048;

/**
 * States of long streams as they were folded on the way, so that a past one is folded from the last snapshot before it and not from the first
 * event. Of the fold of this process, and saved with what it has folded: never the truth, and nothing to be brought up to date. The
 * streams that were used last are kept.
 */
export class FoldSnapshots<S> implements SavedField {
  private readonly streams = new Map<string, readonly Snapshot<S>[]>();
  private count = 0;

  constructor(private readonly most = MOST) {}

  /** Takes what was folded, where a snapshot is due. */
  note(id: string, mark: Mark, state: S): void {
    if (mark.revision < SNAPSHOT_EVERY) return;
    const known = this.streams.get(id) ?? [];
    const at = known.findLastIndex(s => s.mark.revision <= mark.revision);
    if (mark.revision - (known[at]?.mark.revision ?? 0) < SNAPSHOT_EVERY) return;
    this.touch(id, [...known.slice(0, at + 1), { mark, state }, ...known.slice(at + 1)]);
    this.count++;
    this.drop(id);
  }

  /** The last one within, and the first that is not. Beyond one that is not within, none may be. */
  around(
    id: string,
    within: (snapshot: Snapshot<S>) => boolean,
  ): { readonly last?: Snapshot<S>; readonly next?: Snapshot<S> } {
    const known = this.streams.get(id);
    if (!known) return {};
    this.touch(id, known);
    const last = known.findLast(within);
    const next = known.find(snapshot => !within(snapshot));
    return { ...(last ? { last } : {}), ...(next ? { next } : {}) };
  }

  save(): unknown {
    return new Map(this.streams);
  }

  /** Services of one process share them: what is there already stays. */
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

  /** What was not used for longest goes first; of one stream that is too long alone, its oldest. */
  private drop(inUse: string): void {
    for (const [id, snapshots] of this.streams) {
      if (this.count <= this.most) return;
      if (id === inUse) this.touch(id, snapshots.slice(1));
      else this.streams.delete(id);
      this.count -= id === inUse ? 1 : snapshots.length;
    }
  }
}
