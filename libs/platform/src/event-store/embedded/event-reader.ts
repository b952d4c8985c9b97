import type { RecordedEvent } from '../event-store.port.js';
import { decodeEvent } from './event.codec.js';
import type { EventIndex, EventPlace } from './event-index.js';
import type { LogMedium } from './log-medium.js';
import type { RecentFrames } from './recent-frames.js';

const MAX_GAP_BYTES = 16 * 1024;
const MAX_RUN_BYTES = 1024 * 1024;
/** Events decoded before the event loop gets its turn (reads come in between). */
const RUNS_AT_ONCE = 8;

/** Turns positions into events: from the recent frames in memory, else by few long reads of the log. */
export class EventReader {
  constructor(
    private readonly index: EventIndex,
    private readonly medium: LogMedium,
    private readonly recent: RecentFrames,
  ) {}

  /** In the order of `positions`, which must be ascending. */
  async read(positions: readonly number[]): Promise<RecordedEvent[]> {
    const runs = runsOf(positions.map(position => this.index.place(position)));
    const events: RecordedEvent[] = [];
    for (let i = 0; i < runs.length; i += RUNS_AT_ONCE) {
      const read = await Promise.all(runs.slice(i, i + RUNS_AT_ONCE).map(run => this.readRun(run)));
      for (const part of read) events.push(...part);
    }
    return events;
  }

  private async readRun(run: readonly EventPlace[]): Promise<RecordedEvent[]> {
    const first = run[0];
    const last = run.at(-1);
    if (!first || !last) return [];
    const length = last.offset + last.bytes - first.offset;
    const bytes = this.recent.read(first.offset, length) ?? (await this.medium.read(first.offset, length));
    return run.map(place => recorded(place, bytes.subarray(place.offset - first.offset)));
  }
}

function recorded(place: EventPlace, bytes: Buffer): RecordedEvent {
  const { stream, revision, position } = place;
  return { ...decodeEvent(bytes.subarray(0, place.bytes)), stream, revision, position };
}

function runsOf(places: readonly EventPlace[]): EventPlace[][] {
  const runs: EventPlace[][] = [];
  let start = 0;
  let end = -Infinity;
  for (const place of places) {
    const run = runs.at(-1);
    const near = place.offset - end <= MAX_GAP_BYTES && place.offset - start <= MAX_RUN_BYTES;
    if (run && near) run.push(place);
    else {
      runs.push([place]);
      start = place.offset;
    }
    end = place.offset + place.bytes;
  }
  return runs;
}
