import { Inject, Injectable } from '@nestjs/common';
import type { TimeMark } from '@stave/contracts';
import type { EventStore } from '@stave/platform';
import { latestTime } from '@stave/service-kit';
import { EVENT_STORE } from '../gateway.tokens.js';
import { TimeMarks } from './time-marks.js';

const PAGE = 1000;
const START: TimeMark = { position: -1, latest: '' };

/**
 * Finds positions by time. The log is ordered by position and only nearly by time, so the index reads it forward from the last mark before the time: one of those that
 * cluster-service keeps, or beyond them one of the pages that it has read itself. Events never change, and neither does what a mark says.
 */
@Injectable()
export class TimeIndex {
  /** Ends of pages that were read, in the order of the log. */
  private own: TimeMark[] = [];
  private scanning: Promise<unknown> = Promise.resolve();

  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: Pick<EventStore, 'readAll'>,
    @Inject(TimeMarks) private readonly marks: Pick<TimeMarks, 'before'>,
  ) {}

  /** Returns the position before the first event at `time` (ISO 8601, UTC) or later; the head of the log when there is none. */
  async positionBefore(time: string): Promise<number> {
    const mark = await this.marks.before(time);
    const found = this.scanning.then(() => this.search(time, mark));
    this.scanning = found.catch(() => undefined);
    return found;
  }

  private async search(time: string, mark: TimeMark | undefined): Promise<number> {
    if (mark) this.own = this.own.filter(({ position }) => position > mark.position);
    let reached = this.own.findLast(({ latest }) => latest < time) ?? mark ?? START;
    for (;;) {
      const after = reached.position;
      const page = await this.eventStore.readAll({ limit: PAGE, after });
      const at = page.findIndex(event => event.metadata.time >= time);
      if (at === 0) return after;
      if (at > 0) return page[at - 1]?.position ?? after;
      const last = page.at(-1);
      if (!last) return after;
      if (page.length < PAGE) return last.position;
      reached = { position: last.position, latest: latestTime(reached.latest, page) };
      this.keep(reached);
    }
  }

  private keep(reached: TimeMark): void {
    const last = this.own.at(-1);
    if (!last || last.position < reached.position) this.own.push(reached);
  }
}
