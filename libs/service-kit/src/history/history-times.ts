import { lowerBound } from '@stave/domain';
import type { RecordedEvent } from '@stave/platform';

const EVENTS_PER_MARK = 256;
const MAX_MARKS = 16_384;

interface TimeMark {
  readonly position: number;
  /** The latest time of all events up to this position. */
  readonly latest: string;
}

/** An approximate index from times to positions in the log, built from the events of the feed. */
export class HistoryTimes {
  readonly folded = { all: { save: () => this.saved(), restore: (saved: unknown) => void Object.assign(this, saved) } };
  private marks: TimeMark[] = [];
  private latest = '';
  private last = -1;
  private every = EVENTS_PER_MARK;
  private since = 0;

  private saved(): object {
    const { folded: _folded, ...all } = this;
    return { ...all, marks: [...this.marks] };
  }

  note(event: RecordedEvent): void {
    const { time } = event.metadata;
    if (time > this.latest) this.latest = time;
    this.last = event.position;
    if (++this.since < this.every) return;
    this.since = 0;
    this.marks.push({ position: event.position, latest: this.latest });
    if (this.marks.length <= MAX_MARKS) return;
    this.marks = this.marks.filter((_, i) => i % 2 === 1);
    this.every *= 2;
  }

  /** Returns a position up to which no event is later than `time`; -1 when none is known. */
  floor(time: string): number {
    if (this.latest <= time) return this.last;
    const after = lowerBound(this.marks.length, at => (this.marks[at]?.latest ?? '') <= time);
    return this.marks[after - 1]?.position ?? -1;
  }
}
