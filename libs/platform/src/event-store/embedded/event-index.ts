import { getOrCreate } from '@stave/domain';
import type { EventFilter } from '../event-store.port.js';
import { EVENT_LENGTH_BYTES, FRAME_HEADER_BYTES, type FrameHeader } from './frame.codec.js';
import { IdTable } from './id-table.js';

const FIRST_CAPACITY = 1024;

interface StreamEntry {
  readonly number: number;
  readonly name: string;
  readonly positions: number[];
}

/** The location of an event in the log. */
export interface EventPlace {
  readonly position: number;
  readonly stream: string;
  readonly revision: number;
  readonly offset: number;
  readonly bytes: number;
}

export interface Scan {
  readonly positions: readonly number[];
  /** The position up to which every event was considered. */
  readonly considered: number;
}

export interface ScanLimits {
  readonly events: number;
  readonly bytes: number;
  readonly considered: number;
}

/** A typed array that doubles its capacity when it is full. */
class GrowingColumn<T extends Float64Array | Uint32Array> {
  private values: T;

  constructor(private readonly Values: new (length: number) => T) {
    this.values = new Values(FIRST_CAPACITY);
  }

  set(index: number, value: number): void {
    if (index >= this.values.length) {
      const grown = new this.Values(this.values.length * 2);
      grown.set(this.values);
      this.values = grown;
    }
    this.values[index] = value;
  }

  get(index: number): number {
    return this.values[index] ?? 0;
  }
}

/** An index of the durable events by position, stream and id; about 60 bytes for each event. */
export class EventIndex {
  private readonly streams = new Map<string, StreamEntry>();
  private readonly entries: StreamEntry[] = [];
  private readonly offsets = new GrowingColumn(Float64Array);
  private readonly lengths = new GrowingColumn(Uint32Array);
  private readonly streamNumbers = new GrowingColumn(Uint32Array);
  private readonly revisions = new GrowingColumn(Uint32Array);
  private readonly ids = new IdTable();
  private count = 0;

  /** The number of events, which is also the next position. */
  get size(): number {
    return this.count;
  }

  /** Adds a frame that begins at `offset` of the log. Throws RangeError when it does not continue the index. */
  addFrame(header: FrameHeader, bytes: Buffer, offset: number): void {
    if (header.count === 0) return;
    const payload = FRAME_HEADER_BYTES + header.streamBytes;
    const { number, positions } = this.entryOf(bytes.toString('utf8', FRAME_HEADER_BYTES, payload));
    if (header.firstPosition !== this.count || header.firstRevision !== positions.length) {
      throw new RangeError(`found position ${header.firstPosition}, expected ${this.count}`);
    }
    let at = payload;
    for (let i = 0; i < header.count; i++) {
      const length = bytes.readUInt32BE(at);
      at += EVENT_LENGTH_BYTES;
      this.ids.add(bytes.subarray(at));
      this.offsets.set(this.count, offset + at);
      this.lengths.set(this.count, length);
      this.streamNumbers.set(this.count, number);
      this.revisions.set(this.count, positions.length);
      positions.push(this.count);
      this.count++;
      at += length;
    }
  }

  /** Returns the revision of the stream's last event, or -1 when it has none. */
  lastRevision(stream: string): number {
    return this.positionsOf(stream).length - 1;
  }

  /** Returns the positions of a stream's events by revision. */
  positionsOf(stream: string): readonly number[] {
    return this.streams.get(stream)?.positions ?? [];
  }

  /** Finds the event of this stream with this id. */
  locate(stream: string, id: Buffer): { revision: number; position: number } | undefined {
    const number = this.streams.get(stream)?.number;
    if (number === undefined) return undefined;
    const position = this.ids.find(id, candidate => this.streamNumbers.get(candidate) === number);
    return position === undefined ? undefined : { position, revision: this.revisions.get(position) };
  }

  place(position: number): EventPlace {
    return {
      position,
      stream: this.nameAt(position),
      revision: this.revisions.get(position),
      offset: this.offsets.get(position),
      bytes: this.lengths.get(position),
    };
  }

  /** Returns matching positions from `from` up to a limit, but at least one event even when it exceeds `bytes`. */
  scan(from: number, filter: EventFilter | undefined, limits: ScanLimits): Scan {
    const positions: number[] = [];
    const end = Math.min(this.count, from + limits.considered);
    let bytes = 0;
    let position = from;
    for (; position < end && positions.length < limits.events && bytes < limits.bytes; position++) {
      if (!this.matches(position, filter)) continue;
      positions.push(position);
      bytes += this.lengths.get(position);
    }
    return { positions, considered: Math.max(from - 1, position - 1) };
  }

  private matches(position: number, filter: EventFilter | undefined): boolean {
    if (!filter) return true;
    const name = this.nameAt(position);
    return filter.streamPrefixes.some(prefix => name.startsWith(prefix));
  }

  private nameAt(position: number): string {
    return this.entries[this.streamNumbers.get(position)]?.name ?? '';
  }

  private entryOf(stream: string): StreamEntry {
    return getOrCreate(this.streams, stream, () => {
      const entry: StreamEntry = { number: this.entries.length, name: stream, positions: [] };
      this.entries.push(entry);
      return entry;
    });
  }
}
