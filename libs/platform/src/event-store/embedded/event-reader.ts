import { crc32 } from 'node:zlib';
import type { RecordedEvent } from '../event-store.port.js';
import { decodeEvent } from './event.codec.js';
import type { EventIndex } from './index/event-index.js';
import type { EventPlace } from './index/segment.js';
import type { LogMedium } from './log-medium.js';
import { CorruptLogError } from './corrupt-log.error.js';

const MAX_GAP_BYTES = 16 * 1024;
const MAX_RUN_BYTES = 1024 * 1024;
/** The number of runs that are decoded before other work of the event loop gets a turn. */
const RUNS_AT_ONCE = 8;
/** The number of recent events that are kept in memory, and the bytes above which an event is not kept: 64 MB at most. */
const RECENT_EVENTS = 8192;
const MAX_KEPT_BYTES = 8192;

/**
 * The number of events that were read from the log and are kept for others that follow it at the same time: four pages. More of them would
 * outlive the young generation of the heap, which costs more than to decode them.
 */
const PASSING_EVENTS = 2048;

interface EncodedEvent {
  readonly position: number;
  readonly bytes: Buffer;
}

/**
 * Reads events by position, from memory or by few long reads of the log. Recent events are decoded once and shared by all
 * readers, so they must not be changed.
 */
export class EventReader {
  private readonly recent = new Array<RecordedEvent | EncodedEvent | undefined>(RECENT_EVENTS).fill(undefined);
  private readonly passing = new Array<RecordedEvent | undefined>(PASSING_EVENTS).fill(undefined);
  private turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly index: EventIndex,
    private readonly medium: LogMedium,
  ) {}

  /** Keeps the last `count` events of the index, which are in the frame at `offset` of the log, for live readers. */
  keep(frame: Buffer, offset: number, count: number): void {
    for (let position = this.index.size - count; position < this.index.size; position++) {
      const { offset: start, bytes } = this.index.place(position);
      const at = start - offset;
      if (bytes <= MAX_KEPT_BYTES)
        this.recent[position % RECENT_EVENTS] = { position, bytes: Buffer.from(frame.subarray(at, at + bytes)) };
    }
  }

  /** Returns the events in the order of `positions`, which must be ascending. Throws CorruptLogError. */
  async read(positions: readonly number[]): Promise<RecordedEvent[]> {
    const known = positions.map(position => this.kept(position));
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
    const bytes = await this.medium.read(first.offset, length);
    return run.map(place => {
      const at = place.offset - first.offset;
      if (crc32(bytes.subarray(at, at + place.bytes)) !== place.crc) throw this.changed(place);
      return this.kept(place.position) ?? this.decoded(place, bytes, at);
    });
  }

  private changed({ offset, position }: EventPlace): CorruptLogError {
    const place = this.medium.where(offset);
    return new CorruptLogError(place.file, place.offset, `the event at position ${position} has changed`);
  }

  private kept(position: number): RecordedEvent | undefined {
    const kept = this.recent[position % RECENT_EVENTS];
    if (kept?.position !== position) {
      const passing = this.passing[position % PASSING_EVENTS];
      return passing?.position === position ? passing : undefined;
    }
    return 'bytes' in kept ? this.decoded(this.index.place(position), kept.bytes, 0) : kept;
  }

  private decoded({ stream, revision, position, bytes: length }: EventPlace, bytes: Buffer, at: number): RecordedEvent {
    const { id, type, data, metadata } = decodeEvent(bytes, at, at + length);
    const event = { id, type, data, metadata, stream, revision, position };
    if (length > MAX_KEPT_BYTES) return event;
    if (position >= this.index.size - RECENT_EVENTS) this.recent[position % RECENT_EVENTS] = event;
    else this.passing[position % PASSING_EVENTS] = event;
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
