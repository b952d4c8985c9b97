import type { RecordedEvent } from '../event-store.port.js';
import { decodeEvent } from './event.codec.js';
import type { EventIndex, EventPlace } from './event-index.js';
import type { LogMedium } from './log-medium.js';
import type { RecentFrames } from './recent-frames.js';

const MAX_GAP_BYTES = 16 * 1024;
const MAX_RUN_BYTES = 1024 * 1024;
/** The number of runs that are decoded before other work of the event loop gets a turn. */
const RUNS_AT_ONCE = 8;
/** The number of decoded events that are kept. */
const SLOTS = 8192;
/** Longer events are decoded for each reader, which keeps the cache below 64 MB of text. */
const MAX_BYTES = 8192;

/** Caches recently decoded events by position. They are shared by all readers and must not be changed. */
class DecodedEvents {
  private readonly slots: (RecordedEvent | undefined)[] = new Array<RecordedEvent | undefined>(SLOTS).fill(undefined);

  get(position: number): RecordedEvent | undefined {
    const event = this.slots[position % SLOTS];
    return event?.position === position ? event : undefined;
  }

  /** `bytes` is the length of the event in the log. */
  keep(event: RecordedEvent, bytes: number): void {
    if (bytes <= MAX_BYTES) this.slots[event.position % SLOTS] = event;
  }
}

/** Reads events by position, from the recent frames in memory or by few long reads of the log. */
export class EventReader {
  private readonly decoded = new DecodedEvents();
  private turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly index: EventIndex,
    private readonly medium: LogMedium,
    private readonly recent: RecentFrames,
  ) {}

  /** Returns the events in the order of `positions`, which must be ascending. */
  async read(positions: readonly number[]): Promise<RecordedEvent[]> {
    const known = positions.map(position => this.decoded.get(position));
    const missing = positions.filter((_, i) => known[i] === undefined);
    if (missing.length === 0) return known.flatMap(event => event ?? []);
    const runs = runsOf(missing.map(position => this.index.place(position)));
    const read: RecordedEvent[] = [];
    for (let i = 0; i < runs.length; i += RUNS_AT_ONCE) {
      const parts = await Promise.all(runs.slice(i, i + RUNS_AT_ONCE).map(run => this.readRun(run)));
      for (const part of parts) for (const event of part) read.push(event);
    }
    if (missing.length === positions.length) return read;
    let next = 0;
    return known.flatMap(event => event ?? read[next++] ?? []);
  }

  /** Reads for subscriptions one after the other, so that the next finds what the previous one has decoded. */
  readInTurn(positions: readonly number[]): Promise<RecordedEvent[]> {
    const mine = this.turn.then(() => this.read(positions));
    this.turn = mine.catch(() => undefined);
    return mine;
  }

  private async readRun(run: readonly EventPlace[]): Promise<RecordedEvent[]> {
    const first = run[0];
    const last = run.at(-1);
    if (!first || !last) return [];
    const length = last.offset + last.bytes - first.offset;
    const bytes = this.recent.read(first.offset, length) ?? (await this.medium.read(first.offset, length));
    return run.map(place => this.decodedAt(place, bytes, place.offset - first.offset));
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
