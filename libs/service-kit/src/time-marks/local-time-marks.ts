import type { TimeMark } from '@stave/contracts';
import { lowerBound } from '@stave/domain';
import type { Folded, SavedField } from '../snapshots/snapshot-fields.js';
import type { TimeMarkStore } from './time-mark-store.js';

const MAX_MARKS = 16_384;

interface SavedMarks {
  readonly every: number;
  readonly marks: readonly TimeMark[];
}

/** Marks in this process, saved in its snapshot. When there are too many, every second one is dropped, and from then on half as many are kept. */
export class LocalTimeMarks implements Folded, TimeMarkStore {
  readonly folded: Readonly<Record<string, SavedField>> = {
    kept: { save: () => this.proven(), restore: saved => this.restore(saved as SavedMarks) },
  };
  private marks: TimeMark[] = [];
  /** Of so many marks that are added one is kept. */
  private every = 1;
  private since = 0;

  /** `foldedUpTo`: the position of the last event that a snapshot includes. `max`: marks that are kept at most, an even number; default 16,384. */
  constructor(
    private readonly foldedUpTo: () => number,
    private readonly max = MAX_MARKS,
  ) {}

  resume(): Promise<TimeMark | undefined> {
    this.since = 0;
    return Promise.resolve(this.marks.at(-1));
  }

  holds(): Promise<boolean> {
    return Promise.resolve(true);
  }

  add(mark: TimeMark): Promise<void> {
    this.since += 1;
    if (this.since >= this.every) this.keep(mark);
    return Promise.resolve();
  }

  before(time: string): Promise<TimeMark | undefined> {
    const { marks } = this;
    return Promise.resolve(marks[lowerBound(marks.length, at => (marks[at]?.latest ?? '') < time) - 1]);
  }

  private keep(mark: TimeMark): void {
    this.since = 0;
    this.marks.push(mark);
    if (this.marks.length <= this.max) return;
    this.marks = this.marks.filter((_, i) => i % 2 === 0);
    this.every *= 2;
  }

  private restore({ every, marks }: SavedMarks): void {
    this.every = every;
    this.marks = [...marks];
  }

  /** A start proves the log up to the last event of the snapshot: a restored copy may differ after it. */
  private proven(): SavedMarks {
    const last = this.foldedUpTo();
    return { every: this.every, marks: this.marks.filter(({ position }) => position <= last) };
  }
}
