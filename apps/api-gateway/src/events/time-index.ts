import type { EventStore } from '@stave/platform';

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
export class TimeIndex {
  private readonly checkpoints: Checkpoint[] = [];
  private scanning: Promise<void> = Promise.resolve();

  constructor(private readonly eventStore: EventStore) {}

  /** Returns the position before the first event at `time` (ISO 8601, UTC) or later; the head of the log when there is none. */
  positionBefore(time: string): Promise<number> {
    const found = this.scanning.then(() => this.search(time));
    this.scanning = found.then(
      () => undefined,
      () => undefined,
    );
    return found;
  }

  private async search(time: string): Promise<number> {
    let after = this.start(time);
    for (;;) {
      const page = await this.eventStore.readAll({ limit: PAGE, ...(after < 0 ? {} : { after }) });
      const at = page.findIndex(event => event.metadata.time >= time);
      if (at === 0) return after;
      if (at > 0) return page[at - 1]?.position ?? after;
      const last = page.at(-1);
      if (!last) return after;
      if (page.length === PAGE)
        this.keep(
          page.reduce((max, e) => (e.metadata.time > max ? e.metadata.time : max), ''),
          last.position,
        );
      after = last.position;
      if (page.length < PAGE) return after;
    }
  }

  private start(time: string): number {
    let best = -1;
    for (const { latest, position } of this.checkpoints) {
      if (latest >= time) break;
      best = position;
    }
    return best;
  }

  private keep(latest: string, position: number): void {
    const last = this.checkpoints.at(-1);
    if (last && last.position >= position) return;
    this.checkpoints.push({ position, latest: last && last.latest > latest ? last.latest : latest });
  }
}
