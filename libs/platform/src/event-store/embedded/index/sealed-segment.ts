import { ID_BYTES } from '../event.codec.js';
import { idHash } from './id-table.js';
import type { PageReader } from './page-cache.js';
import {
  PLACE_BYTES,
  sectionsOf,
  SLOT_BYTES,
  STREAM_BYTES,
  type SegmentHead,
  type Sections,
} from './segment-layout.js';
import type { EventPlace, Segment, StreamKey, StreamPart } from './segment.js';
import { StreamFilter } from './stream-filter.js';

/** The index of older events, in the index file. In memory are its stream filter and the pages that were loaded last. */
export class SealedSegment implements Segment {
  readonly first: number;
  readonly count: number;
  readonly firstOffset: number;
  readonly endOffset: number;
  private readonly filter: StreamFilter;
  private readonly sections: Sections;
  private names: (string | undefined)[] = [];

  constructor(
    private readonly head: SegmentHead,
    filter: Uint8Array,
    private readonly pages: PageReader,
  ) {
    ({ first: this.first, count: this.count, firstOffset: this.firstOffset, endOffset: this.endOffset } = head);
    this.filter = new StreamFilter(filter);
    this.sections = sectionsOf(head);
  }

  find({ name, hash }: StreamKey): StreamPart | undefined {
    if (!this.filter.mayHave(hash)) return undefined;
    const { streamSlots } = this.sections;
    const mask = this.head.streamSlots - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const entry = this.pages.u32(streamSlots + slot * SLOT_BYTES);
      if (entry === 0) return undefined;
      const isHash = this.pages.u32(streamSlots + slot * SLOT_BYTES + 4) === hash;
      if (isHash && this.readName(entry - 1) === name) return this.part(entry - 1);
    }
  }

  locate({ number }: StreamPart, id: Buffer): number | undefined {
    const { idSlots, ids } = this.sections;
    const mask = this.head.idSlots - 1;
    const hash = idHash(id, 0);
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const entry = this.pages.u32(idSlots + slot * SLOT_BYTES);
      if (entry === 0) return undefined;
      if (this.pages.u32(idSlots + slot * SLOT_BYTES + 4) !== hash) continue;
      const isId = this.pages.bytes(ids + (entry - 1) * ID_BYTES, ID_BYTES).equals(id.subarray(0, ID_BYTES));
      if (isId && this.placeField(entry - 1, 8) === number) return this.first + entry - 1;
    }
  }

  place(position: number): EventPlace {
    const i = position - this.first;
    const number = this.placeField(i, 8);
    return {
      position,
      stream: this.names[number] ?? this.readName(number),
      revision: this.placeField(i, 12),
      offset: this.firstOffset + this.placeField(i, 0),
      bytes: this.placeField(i, 4),
      crc: this.pages.u32(this.sections.crcs + 4 * i),
    };
  }

  /** Keeps the decoded names until `forget`, because a scan asks for each many times. */
  nameAt(position: number): string {
    const number = this.placeField(position - this.first, 8);
    return (this.names[number] ??= this.readName(number));
  }

  forget(): void {
    this.names = [];
  }

  bytesAt(position: number): number {
    return this.placeField(position - this.first, 4);
  }

  private part(number: number): StreamPart {
    const at = this.sections.streams + number * STREAM_BYTES;
    const from = this.pages.u32(at + 4);
    return {
      number,
      firstRevision: this.pages.u32(at + 8),
      count: this.pages.u32(at + STREAM_BYTES + 4) - from,
      positionAt: i => this.first + this.pages.u32(this.sections.lists + 4 * (from + i)),
    };
  }

  private readName(number: number): string {
    const at = this.sections.streams + number * STREAM_BYTES;
    const from = this.pages.u32(at);
    return this.pages.bytes(this.sections.names + from, this.pages.u32(at + STREAM_BYTES) - from).toString('utf8');
  }

  private placeField(i: number, field: number): number {
    return this.pages.u32(this.sections.places + i * PLACE_BYTES + field);
  }
}
