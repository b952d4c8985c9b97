import type { EventFilter } from '../../event-store.port.js';
import { FRAME_HEADER_BYTES, type FrameHeader } from '../frame.codec.js';
import type { IndexFile } from './index-file.js';
import { MemorySegment } from './memory-segment.js';
import { SealedSegment } from './sealed-segment.js';
import { streamKey, type EventPlace, type Segment, type StreamPart } from './segment.js';

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

export interface EventIndexOptions {
  /** Where older events leave memory to; absent: all stay in memory. */
  readonly file?: IndexFile;
  /** The segments of the file. */
  readonly sealed?: readonly SealedSegment[];
  /** The start of the log behind these segments. */
  readonly start?: number;
  /** The number of events of a segment; twice as many are in memory at most. Default 16,384. */
  readonly segmentEvents?: number;
  /** Called when a segment cannot be written. It stays in memory, and is tried again later. */
  readonly onError?: (error: unknown) => void;
}

const SEGMENT_EVENTS = 16_384;
const SEGMENT_BYTES = 64 * 1024 * 1024;

/**
 * An index of the durable events by position, stream and id. The newest are in memory: the segment that grows, and the one before. Older
 * segments are in a file.
 */
export class EventIndex {
  private readonly sealed: SealedSegment[];
  private readonly segmentEvents: number;
  private previous: MemorySegment | undefined;
  private active: MemorySegment;
  /** The number of events of the active segment at which the previous one leaves memory. */
  private limit: number;
  private scanned: SealedSegment | undefined;

  constructor(private readonly options: EventIndexOptions = {}) {
    const { sealed = [], start = 0, segmentEvents = SEGMENT_EVENTS } = options;
    const last = sealed.at(-1);
    this.sealed = [...sealed];
    this.segmentEvents = segmentEvents;
    this.limit = segmentEvents;
    this.active = new MemorySegment(last ? last.first + last.count : 0, last?.endOffset ?? start);
  }

  /** The number of events, which is also the next position. */
  get size(): number {
    return this.active.first + this.active.count;
  }

  /** The end of the last frame with events in the log. */
  get endOffset(): number {
    return this.active.endOffset;
  }

  /** Adds a frame that begins at `offset` of the log. Throws RangeError when it does not continue the index. */
  addFrame(header: FrameHeader, bytes: Buffer, offset: number): void {
    if (header.count === 0) return;
    const stream = bytes.toString('utf8', FRAME_HEADER_BYTES, FRAME_HEADER_BYTES + header.streamBytes);
    // the writer asked all segments before a stream began; asking them again would cost each start and append as much as there is history
    const known =
      header.firstRevision === 0 ? this.lastRevision(stream, this.sealed.length) : this.lastRevision(stream);
    if (header.firstPosition !== this.size || header.firstRevision !== known + 1) {
      throw new RangeError(`found position ${header.firstPosition}, expected ${this.size}`);
    }
    const isFull = this.active.count >= this.limit || this.active.endOffset - this.active.firstOffset >= SEGMENT_BYTES;
    if (isFull && this.options.file) this.beginSegment(this.options.file);
    this.active.addFrame(stream, header, bytes, offset);
  }

  /** Returns the revision of the stream's last event, or -1 when it has none, in the segments from `oldest` on. */
  lastRevision(stream: string, oldest = 0): number {
    let last = -1;
    const visit = ({ firstRevision, count }: StreamPart): boolean => {
      last = firstRevision + count - 1;
      return true;
    };
    this.eachPart(stream, visit, oldest);
    return last;
  }

  /** Returns the positions of a stream's events whose revision is at least `from` and below `to`. */
  positionsOf(stream: string, from: number, to: number): number[] {
    const parts: number[][] = [];
    this.eachPart(stream, part => {
      const begin = Math.max(0, from - part.firstRevision);
      const end = Math.min(part.count, to - part.firstRevision);
      if (begin < end) parts.push(Array.from({ length: end - begin }, (_, i) => part.positionAt(begin + i)));
      return part.firstRevision <= from;
    });
    return parts.reverse().flat();
  }

  /** Finds the event of this stream with this id. */
  locate(stream: string, id: Buffer): { revision: number; position: number } | undefined {
    let position: number | undefined;
    this.eachPart(stream, (part, segment) => {
      position = segment.locate(part, id);
      return position !== undefined;
    });
    return position === undefined ? undefined : { position, revision: this.place(position).revision };
  }

  place(position: number): EventPlace {
    return this.segmentOf(position).place(position);
  }

  /** Returns matching positions from `from` up to a limit, but at least one event even when it exceeds `bytes`. */
  scan(from: number, filter: EventFilter | undefined, limits: ScanLimits): Scan {
    const positions: number[] = [];
    const end = Math.min(this.size, from + limits.considered);
    let bytes = 0;
    let position = from;
    while (position < end && positions.length < limits.events && bytes < limits.bytes) {
      const segment = this.segmentToScan(position);
      const until = Math.min(end, segment.first + segment.count);
      for (; position < until && positions.length < limits.events && bytes < limits.bytes; position++) {
        if (filter && !matches(segment.nameAt(position), filter)) continue;
        positions.push(position);
        bytes += segment.bytesAt(position);
      }
    }
    return { positions, considered: Math.max(from - 1, position - 1) };
  }

  close(): void {
    this.options.file?.close();
  }

  private beginSegment(file: IndexFile): void {
    try {
      if (this.previous) this.sealed.push(file.add(this.previous));
    } catch (error) {
      this.limit = this.active.count + this.segmentEvents;
      return this.options.onError?.(error);
    }
    this.previous = this.active;
    this.limit = this.segmentEvents;
    this.active = new MemorySegment(this.size, this.previous.endOffset);
  }

  /** Calls `visit` with the parts of a stream, the newest first, until it returns true or the stream begins. */
  private eachPart(stream: string, visit: (part: StreamPart, segment: Segment) => boolean, oldest = 0): void {
    const key = streamKey(stream);
    for (let i = this.sealed.length + 1; i >= oldest; i--) {
      const segment = this.segmentAt(i);
      const part = segment?.find(key);
      if (part && segment && (visit(part, segment) || part.firstRevision === 0)) return;
    }
  }

  /** Returns a segment by age: the sealed ones, the previous, the active. */
  private segmentAt(i: number): Segment | undefined {
    const { length } = this.sealed;
    return i > length ? this.active : i === length ? this.previous : this.sealed[i];
  }

  private segmentOf(position: number): Segment {
    const { active, previous, sealed } = this;
    if (position >= active.first) return active;
    if (previous && position >= previous.first) return previous;
    let low = 0;
    let high = sealed.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((sealed[middle]?.first ?? Infinity) <= position) low = middle;
      else high = middle - 1;
    }
    return sealed[low] ?? active;
  }

  /** One sealed segment at a time keeps its names in memory. */
  private segmentToScan(position: number): Segment {
    const segment = this.segmentOf(position);
    if (segment instanceof SealedSegment && segment !== this.scanned) {
      this.scanned?.forget();
      this.scanned = segment;
    }
    return segment;
  }
}

const matches = (name: string, { streamPrefixes }: EventFilter): boolean =>
  streamPrefixes.some(prefix => name.startsWith(prefix));
