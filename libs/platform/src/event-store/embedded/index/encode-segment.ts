import type { MemorySegment } from './memory-segment.js';
import {
  headBytesOf,
  PLACE_BYTES,
  sectionsOf,
  SLOT_BYTES,
  STREAM_BYTES,
  writeHead,
  type SegmentHead,
} from './segment-layout.js';
import { slotsFor, streamKey } from './segment.js';
import { StreamFilter } from './stream-filter.js';

/** Returns the segment as it is stored in the index file. It depends on the log only. */
export function encodeSegment(segment: MemorySegment): Buffer {
  const names = segment.parts.map(({ name }) => Buffer.from(name, 'utf8'));
  const hashes = segment.parts.map(({ name }) => streamKey(name).hash);
  const filter = StreamFilter.for(hashes.length);
  for (const hash of hashes) filter.add(hash);
  const head: SegmentHead = {
    count: segment.count,
    streams: names.length,
    idSlots: slotsFor(segment.count),
    streamSlots: slotsFor(names.length),
    nameBytes: names.reduce((sum, name) => sum + name.length, 0),
    filterBytes: filter.bits.length,
    lastFrameCrc: segment.lastFrame.crc,
    first: segment.first,
    firstOffset: segment.firstOffset,
    endOffset: segment.endOffset,
    lastFrameOffset: segment.lastFrame.offset,
  };
  const start = headBytesOf(head);
  const bytes = Buffer.alloc(start + sectionsOf(head).bodyBytes);
  const body = new Body(bytes.subarray(start));
  writeEvents(body, head, segment);
  writeStreams(body, head, segment, names, hashes);
  writeHead(bytes, head, filter.bits);
  return bytes;
}

/** Numbers are written by a DataView, which costs a tenth of Buffer's methods. */
class Body {
  private readonly view: DataView;

  constructor(readonly bytes: Buffer) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  put(value: number, at: number): void {
    this.view.setUint32(at, value, true);
  }

  /** Inserts an entry into a hash table with linear probing. */
  insert(table: number, slots: number, entry: number, hash: number): void {
    let slot = hash & (slots - 1);
    while (this.view.getUint32(table + slot * SLOT_BYTES, true) !== 0) slot = (slot + 1) & (slots - 1);
    this.put(entry + 1, table + slot * SLOT_BYTES);
    this.put(hash, table + slot * SLOT_BYTES + 4);
  }
}

function writeEvents(
  body: Body,
  head: SegmentHead,
  { offsets, lengths, streams, revisions, crcs, ids }: MemorySegment,
): void {
  const sections = sectionsOf(head);
  for (let i = 0; i < head.count; i++) {
    const at = sections.places + i * PLACE_BYTES;
    body.put(offsets.get(i) - head.firstOffset, at);
    body.put(lengths.get(i), at + 4);
    body.put(streams.get(i), at + 8);
    body.put(revisions.get(i), at + 12);
    body.put(crcs.get(i), sections.crcs + 4 * i);
    body.insert(sections.idSlots, head.idSlots, i, ids.hashOf(i));
  }
  ids.copyAll(body.bytes, sections.ids);
}

function writeStreams(
  body: Body,
  head: SegmentHead,
  { first, parts }: MemorySegment,
  names: readonly Buffer[],
  hashes: readonly number[],
): void {
  const { streams, streamSlots, lists, names: namesAt } = sectionsOf(head);
  let nameAt = 0;
  let listed = 0;
  for (let number = 0; number <= names.length; number++) {
    const part = parts[number];
    const at = streams + number * STREAM_BYTES;
    body.put(nameAt, at);
    body.put(listed, at + 4);
    body.put(part?.firstRevision ?? 0, at + 8);
    if (!part) break;
    nameAt += names[number]?.copy(body.bytes, namesAt + nameAt) ?? 0;
    for (const position of part.positions) body.put(position - first, lists + 4 * listed++);
    body.insert(streamSlots, head.streamSlots, number, hashes[number] ?? 0);
  }
}
