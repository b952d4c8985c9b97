import { Inject, Injectable } from '@nestjs/common';
import type { EventStore, RecordedEvent } from '@stave/platform';
import { EVENT_STORE } from '../gateway.tokens.js';

const PAGE = 1000;

interface Checkpoint {
  /** The latest time of all events up to and including `position`. */
  readonly latest: string;
  readonly position: number;
}

/**
 * Finds positions by time. The log is ordered by position and only nearly by time, so the index reads it forward once and keeps one
 * checkpoint for each page; events never change.
 */
@Injectable()
export class TimeIndex {
  private readonly checkpoints: Checkpoint[] = [];
  private scanning: Promise<unknown> = Promise.resolve();

  constructor(@Inject(EVENT_STORE) private readonly eventStore: EventStore) {}

  /** Returns the position before the first event at `time` (ISO 8601, UTC) or later; the head of the log when there is none. */
  positionBefore(time: string): Promise<number> {
    const found = this.scanning.then(() => this.search(time));
    this.scanning = found.catch(() => undefined);
    return found;
  }

  private async search(time: string): Promise<number> {
    let after = this.start(time);
    for (;;) {
      const page = await this.eventStore.readAll({ limit: PAGE, after });
      const at = page.findIndex(event => event.metadata.time >= time);
      if (at === 0) return after;
      if (at > 0) return page[at - 1]?.position ?? after;
      const last = page.at(-1);
      if (!last) return after;
      after = last.position;
      if (page.length < PAGE) return after;
      this.keep(page, after);
    }
  }

  private start(time: string): number {
    return this.checkpoints.findLast(({ latest }) => latest < time)?.position ?? -1;
  }

  private keep(page: readonly RecordedEvent[], position: number): void {
    const last = this.checkpoints.at(-1);
    if (last && last.position >= position) return;
    const latest = page.reduce((max, { metadata }) => (metadata.time > max ? metadata.time : max), last?.latest ?? '');
    this.checkpoints.push({ position, latest });
  }
}
