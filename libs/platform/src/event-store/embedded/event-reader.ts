import type { RecordedEvent } from '../event-store.port.js';
import { DecodedEvents } from './decoded-events.js';
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
  private readonly decoded = new DecodedEvents();

  constructor(
    private readonly index: EventIndex,
    private readonly medium: LogMedium,
    private readonly recent: RecentFrames,
  ) {}

  /** In the order of `positions`, which must be ascending. */
  async read(positions: readonly number[]): Promise<RecordedEvent[]> {
    const known = this.allDecoded(positions);
    if (known) return known;
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
    return run.map(place => this.decodedAt(place, bytes, place.offset - first.offset));
  }

  private allDecoded(positions: readonly number[]): RecordedEvent[] | undefined {
    const events: RecordedEvent[] = [];
    for (const position of positions) {
      const event = this.decoded.get(position);
      if (!event) return undefined;
      events.push(event);
    }
    return events;
  }

  private decodedAt(place: EventPlace, bytes: Buffer, at: number): RecordedEvent {
    const { stream, revision, position } = place;
    const known = this.decoded.get(position);
    if (known) return known;
    const { id, type, data, metadata } = decodeEvent(bytes, at, at + place.bytes);
    const event = { id, type, data, metadata, stream, revision, position };
    this.decoded.keep(event, place.bytes);
    return event;
  }
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
