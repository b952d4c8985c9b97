import { crc32 } from 'node:zlib';
import { getOrCreate } from '@stave/domain';
import { EVENT_LENGTH_BYTES, FRAME_HEADER_BYTES, type FrameHeader } from '../frame.codec.js';
import { GrowingColumn } from './growing-column.js';
import { IdTable } from './id-table.js';
import type { EventPlace, Segment, StreamKey, StreamPart } from './segment.js';

/** The events of one stream in a segment in memory. */
export class MemoryPart implements StreamPart {
  readonly positions: number[] = [];

  constructor(
    readonly number: number,
    readonly name: string,
    readonly firstRevision: number,
  ) {}

  get count(): number {
    return this.positions.length;
  }

  positionAt(i: number): number {
    return this.positions[i] ?? -1;
  }
}

/** The index of the newest events, in memory: about 140 bytes for each event of a short stream. */
export class MemorySegment implements Segment {
  readonly parts: MemoryPart[] = [];
  count = 0;
  endOffset: number;
  /** The offset and the checksum of the last frame. */
  lastFrame = { offset: 0, crc: 0 };
  private readonly byName = new Map<string, MemoryPart>();
  readonly offsets = new GrowingColumn(Float64Array);
  readonly lengths = new GrowingColumn(Uint32Array);
  /** The numbers of the streams. */
  readonly streams = new GrowingColumn(Uint32Array);
  readonly revisions = new GrowingColumn(Uint32Array);
  readonly crcs = new GrowingColumn(Uint32Array);
  readonly ids = new IdTable();

  constructor(
    readonly first: number,
    readonly firstOffset: number,
  ) {
    this.endOffset = firstOffset;
  }

  /** Adds a frame that begins at `offset` of the log, whose first event has `firstRevision`. */
  addFrame(stream: string, header: FrameHeader, bytes: Buffer, offset: number): void {
    const part = getOrCreate(
      this.byName,
      stream,
      () =>
        this.parts[this.parts.push(new MemoryPart(this.parts.length, stream, header.firstRevision)) - 1] as MemoryPart,
    );
    let at = FRAME_HEADER_BYTES + header.streamBytes;
    for (let i = 0; i < header.count; i++) {
      const length = bytes.readUInt32BE(at);
      at += EVENT_LENGTH_BYTES;
      const event = bytes.subarray(at, at + length);
      this.ids.add(event);
      this.offsets.set(this.count, offset + at);
      this.lengths.set(this.count, length);
      this.streams.set(this.count, part.number);
      this.revisions.set(this.count, part.firstRevision + part.count);
      this.crcs.set(this.count, crc32(event));
      part.positions.push(this.first + this.count);
      this.count++;
      at += length;
    }
    this.endOffset = offset + bytes.length;
    this.lastFrame = { offset, crc: header.crc };
  }

  find({ name }: StreamKey): MemoryPart | undefined {
    return this.byName.get(name);
  }

  locate({ number }: StreamPart, id: Buffer): number | undefined {
    const found = this.ids.find(id, candidate => this.streams.get(candidate) === number);
    return found === undefined ? undefined : this.first + found;
  }

  place(position: number): EventPlace {
    const i = position - this.first;
    return {
      position,
      stream: this.nameAt(position),
      revision: this.revisions.get(i),
      offset: this.offsets.get(i),
      bytes: this.lengths.get(i),
      crc: this.crcs.get(i),
    };
  }

  nameAt(position: number): string {
    return this.parts[this.streams.get(position - this.first)]?.name ?? '';
  }

  bytesAt(position: number): number {
    return this.lengths.get(position - this.first);
  }
}
