import { crc32 } from 'node:zlib';

/**
 * A sealed segment in the index file, little-endian: head, body. The head has the numbers of `SegmentHead`, the stream filter and the
 * CRC-32 of each page of the body. The body has these sections, each aligned to 16 bytes:
 * places (offset in the segment u32, length u32, stream number u32, revision u32), crcs u32, ids of 16 bytes,
 * id slots (1 + index of the event u32, hash u32), streams (offset of the name u32, first in lists u32, first revision u32, 0) and one
 * more at the end, stream slots (1 + stream number u32, hash u32), lists of events by stream u32, names.
 */
export const PAGE_BYTES = 4096;
export const PLACE_BYTES = 16;
export const SLOT_BYTES = 8;
export const STREAM_BYTES = 16;
export const HEAD_BYTES = 96;
const MAGIC = Buffer.from('STAVEIX1', 'latin1');
const CRC_AT = 12;
const CRC_FROM = 16;
const NUMBERS_AT = 16;
const OFFSETS_AT = 48;

export interface SegmentHead {
  readonly count: number;
  readonly streams: number;
  readonly idSlots: number;
  readonly streamSlots: number;
  readonly nameBytes: number;
  readonly filterBytes: number;
  readonly lastFrameCrc: number;
  readonly first: number;
  readonly firstOffset: number;
  readonly endOffset: number;
  readonly lastFrameOffset: number;
}

const numbers = ['count', 'streams', 'idSlots', 'streamSlots', 'nameBytes', 'filterBytes', 'lastFrameCrc'] as const;
const offsets = ['first', 'firstOffset', 'endOffset', 'lastFrameOffset'] as const;

export interface Sections {
  readonly places: number;
  readonly crcs: number;
  readonly ids: number;
  readonly idSlots: number;
  readonly streams: number;
  readonly streamSlots: number;
  readonly lists: number;
  readonly names: number;
  readonly bodyBytes: number;
}

const aligned = (bytes: number): number => Math.ceil(bytes / 16) * 16;

/** Returns where each section of the body begins. */
export function sectionsOf({ count, streams, idSlots, streamSlots, nameBytes }: SegmentHead): Sections {
  let at = 0;
  const take = (bytes: number): number => {
    const start = at;
    at += aligned(bytes);
    return start;
  };
  return {
    places: take(count * PLACE_BYTES),
    crcs: take(count * 4),
    ids: take(count * 16),
    idSlots: take(idSlots * SLOT_BYTES),
    streams: take((streams + 1) * STREAM_BYTES),
    streamSlots: take(streamSlots * SLOT_BYTES),
    lists: take(count * 4),
    names: take(nameBytes),
    bodyBytes: at,
  };
}

export const pagesOf = (bodyBytes: number): number => Math.ceil(bodyBytes / PAGE_BYTES);

/** Returns the bytes of the complete head: its numbers, the filter, the checksums of the pages. */
export const headBytesOf = (head: SegmentHead): number =>
  HEAD_BYTES + aligned(head.filterBytes) + aligned(pagesOf(sectionsOf(head).bodyBytes) * 4);

/** Writes the head before a body that is complete. `bytes` are the segment. */
export function writeHead(bytes: Buffer, head: SegmentHead, filter: Uint8Array): void {
  MAGIC.copy(bytes, 0);
  for (const [i, name] of numbers.entries()) bytes.writeUInt32LE(head[name], NUMBERS_AT + 4 * i);
  for (const [i, name] of offsets.entries()) bytes.writeDoubleLE(head[name], OFFSETS_AT + 8 * i);
  bytes.set(filter, HEAD_BYTES);
  const total = headBytesOf(head);
  const crcs = HEAD_BYTES + aligned(head.filterBytes);
  for (let at = total, i = 0; at < bytes.length; at += PAGE_BYTES, i++)
    bytes.writeUInt32LE(crc32(bytes.subarray(at, at + PAGE_BYTES)), crcs + 4 * i);
  bytes.writeUInt32LE(total, 8);
  bytes.writeUInt32LE(crc32(bytes.subarray(CRC_FROM, total)), CRC_AT);
}

/** Reads the numbers of a head. Returns undefined when the bytes do not begin with one. */
export function readNumbers(bytes: Buffer): SegmentHead | undefined {
  if (bytes.length < HEAD_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  const head = Object.fromEntries([
    ...numbers.map((name, i) => [name, bytes.readUInt32LE(NUMBERS_AT + 4 * i)]),
    ...offsets.map((name, i) => [name, bytes.readDoubleLE(OFFSETS_AT + 8 * i)]),
  ]) as unknown as SegmentHead;
  return headBytesOf(head) === bytes.readUInt32LE(8) ? head : undefined;
}

/** Returns the filter and the checksums of the pages; undefined when the checksum of the head is wrong. `bytes` are the complete head. */
export function readRest(bytes: Buffer, head: SegmentHead): { filter: Uint8Array; crcs: Uint32Array } | undefined {
  if (crc32(bytes.subarray(CRC_FROM)) !== bytes.readUInt32LE(CRC_AT)) return undefined;
  const at = HEAD_BYTES + aligned(head.filterBytes);
  const crcs = new Uint32Array(pagesOf(sectionsOf(head).bodyBytes));
  for (let i = 0; i < crcs.length; i++) crcs[i] = bytes.readUInt32LE(at + 4 * i);
  return { filter: Uint8Array.from(bytes.subarray(HEAD_BYTES, HEAD_BYTES + head.filterBytes)), crcs };
}
