import { crc32 } from 'node:zlib';

/**
 * One append in the log file, big-endian:
 * magic u32 | crc u32 over all that follows | payload length u32 | durable u48 | first position u48 | event count u32 |
 * first revision u32 | stream name length u16 | stream name | per event: length u32, id and JSON.
 * `durable` is the length of the file that was durable when the frame was written. It separates a torn tail, which was never
 * acknowledged, from damage to acknowledged events. A frame without events and stream seals the file when it is closed.
 */
interface Frame {
  readonly stream: string;
  readonly firstRevision: number;
  readonly firstPosition: number;
  readonly durable: number;
  readonly events: readonly Buffer[];
}

export interface FrameHeader {
  readonly crc: number;
  readonly frameBytes: number;
  readonly durable: number;
  readonly firstPosition: number;
  readonly count: number;
  readonly firstRevision: number;
  readonly streamBytes: number;
}

export const FRAME_HEADER_BYTES = 34;
export const EVENT_LENGTH_BYTES = 4;
export const MAX_STREAM_BYTES = 0xffff;
/** Longer frames are damage; no append is as large. */
const MAX_FRAME_BYTES = 64 * 1024 * 1024;
const MAGIC = 0xf5_53_46_31;
export const MAGIC_BYTES = Buffer.from([0xf5, 0x53, 0x46, 0x31]);
const CRC_FROM = 8;

export function encodeFrame(frame: Frame): Buffer {
  const name = Buffer.from(frame.stream, 'utf8');
  const payload = frame.events.reduce((sum, event) => sum + EVENT_LENGTH_BYTES + event.length, name.length);
  const bytes = Buffer.allocUnsafe(FRAME_HEADER_BYTES + payload);
  bytes.writeUInt32BE(MAGIC, 0);
  bytes.writeUInt32BE(payload, 8);
  bytes.writeUIntBE(frame.durable, 12, 6);
  bytes.writeUIntBE(frame.firstPosition, 18, 6);
  bytes.writeUInt32BE(frame.events.length, 24);
  bytes.writeUInt32BE(frame.firstRevision, 28);
  bytes.writeUInt16BE(name.length, 32);
  name.copy(bytes, FRAME_HEADER_BYTES);
  let at = FRAME_HEADER_BYTES + name.length;
  for (const event of frame.events) {
    at = bytes.writeUInt32BE(event.length, at);
    at += event.copy(bytes, at);
  }
  bytes.writeUInt32BE(crc32(bytes.subarray(CRC_FROM)), 4);
  return bytes;
}

/** Decodes the header of a frame. Returns undefined when the bytes do not begin with one. */
export function decodeHeader(bytes: Buffer): FrameHeader | undefined {
  if (bytes.length < FRAME_HEADER_BYTES || bytes.readUInt32BE(0) !== MAGIC) return undefined;
  const frameBytes = FRAME_HEADER_BYTES + bytes.readUInt32BE(8);
  if (frameBytes > MAX_FRAME_BYTES) return undefined;
  return {
    crc: bytes.readUInt32BE(4),
    frameBytes,
    durable: bytes.readUIntBE(12, 6),
    firstPosition: bytes.readUIntBE(18, 6),
    count: bytes.readUInt32BE(24),
    firstRevision: bytes.readUInt32BE(28),
    streamBytes: bytes.readUInt16BE(32),
  };
}

/** Verifies the checksum of a frame; `bytes` are exactly the frame. */
export function hasValidChecksum(header: FrameHeader, bytes: Buffer): boolean {
  return crc32(bytes.subarray(CRC_FROM)) === header.crc;
}
