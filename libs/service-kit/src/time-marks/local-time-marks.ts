import type { TimeMark } from '@stave/contracts';
import { lowerBound } from '@stave/domain';
import type { Folded, SavedField } from '../snapshots/snapshot-fields.js';
import type { TimeMarkStore } from './time-mark-store.js';

/** Marks in this process, saved in its snapshot. */
export class LocalTimeMarks implements Folded, TimeMarkStore {
  readonly folded: Readonly<Record<string, SavedField>> = {
    marks: { save: () => this.proven(), restore: saved => void (this.marks = [...(saved as readonly TimeMark[])]) },
  };
  private marks: TimeMark[] = [];

  /** `foldedUpTo`: the position of the last event that a snapshot includes. */
  constructor(private readonly foldedUpTo: () => number) {}

  newest(): Promise<TimeMark | undefined> {
    return Promise.resolve(this.marks.at(-1));
  }

  holds(): Promise<boolean> {
    return Promise.resolve(true);
  }

  add(mark: TimeMark): Promise<void> {
    this.marks.push(mark);
    return Promise.resolve();
  }

  before(time: string): Promise<TimeMark | undefined> {
    const { marks } = this;
    return Promise.resolve(marks[lowerBound(marks.length, at => (marks[at]?.latest ?? '') < time) - 1]);
  }

  /** A start proves the log up to the last event of the snapshot: a restored copy may differ after it. */
  private proven(): readonly TimeMark[] {
    const last = this.foldedUpTo();
    return this.marks.filter(({ position }) => position <= last);
  }
}
