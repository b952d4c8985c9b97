import { crc32 } from 'node:zlib';
import { ID_BYTES } from '../event.codec.js';

/**
 * The log is a sequence of files. An offset counts the bytes of all of them, headers included, as if they were one. The first file keeps
 * the name of the log; a later one has the offset of its first byte in its name. Frames do not cross files. All files but the last, the
 * current one, never change.
 */
export interface LogFile {
  readonly path: string;
  /** The offset of its first byte. */
  readonly base: number;
  readonly headerBytes: number;
}

/** A file with the offset behind its last byte. */
export interface Extent extends LogFile {
  readonly end: number;
}

/** The header of the first file, which is also that of a log of one file. */
export const FIRST_HEADER = Buffer.from('STAVE EVENTS 1\r\n', 'latin1');

/**
 * The header of a later file, big-endian: magic of 16 bytes | base u64 | position of its first event u64 | id of the first event of the
 * log, 16 bytes | 12 zeros | CRC-32 of these. It is durable before the file has its name.
 */
export const LATER_HEADER_BYTES = 64;
const MAGIC = Buffer.from('STAVE EVENTS 2\r\n', 'latin1');
const CRC_AT = 60;
const DIGITS = 16;

export interface LaterHeader {
  readonly base: number;
  readonly firstPosition: number;
  /** The id of the first event of the log, which identifies it. */
  readonly logId: Buffer;
}

export function encodeLaterHeader({ base, firstPosition, logId }: LaterHeader): Buffer {
  const bytes = Buffer.alloc(LATER_HEADER_BYTES);
  MAGIC.copy(bytes);
  bytes.writeBigUInt64BE(BigInt(base), 16);
  bytes.writeBigUInt64BE(BigInt(firstPosition), 24);
  logId.copy(bytes, 32, 0, ID_BYTES);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, CRC_AT)), CRC_AT);
  return bytes;
}

/** Decodes the header of a later file; undefined when the bytes are not a complete, undamaged one. */
export function decodeLaterHeader(bytes: Buffer): LaterHeader | undefined {
  if (bytes.length < LATER_HEADER_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  if (crc32(bytes.subarray(0, CRC_AT)) !== bytes.readUInt32BE(CRC_AT)) return undefined;
  return {
    base: Number(bytes.readBigUInt64BE(16)),
    firstPosition: Number(bytes.readBigUInt64BE(24)),
    logId: Buffer.from(bytes.subarray(32, 32 + ID_BYTES)),
  };
}

const stemOf = (log: string): string => log.replace(/\.log$/, '');

/** Returns the later file of the log `log` that begins at `base`. */
export const laterFile = (log: string, base: number): LogFile => ({
  path: `${stemOf(log)}.${String(base).padStart(DIGITS, '0')}.log`,
  base,
  headerBytes: LATER_HEADER_BYTES,
});

/** Returns the path of a file of the same log that begins at `base`. `later` is not the first file. */
export const pathAt = ({ path }: LogFile, base: number): string =>
  path.replace(/\d{16}\.log$/, `${String(base).padStart(DIGITS, '0')}.log`);

export const firstFile = (log: string): LogFile => ({ path: log, base: 0, headerBytes: FIRST_HEADER.length });

/** The file that becomes the next one; its content is of no interest to a start. */
export const unfinishedFile = (log: string): string => `${log}.next`;

/** Returns the base in the name of a later file of the log; undefined for other files. */
export function baseOf(log: string, path: string): number | undefined {
  const stem = stemOf(log);
  if (!path.startsWith(`${stem}.`)) return undefined;
  const [, digits] = /^(\d{16})\.log$/.exec(path.slice(stem.length + 1)) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** Returns which of the files has this offset. `files` are in order and not empty. */
export function indexOfFile(files: readonly LogFile[], offset: number): number {
  let low = 0;
  let high = files.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((files[middle]?.base ?? Infinity) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Returns the file with this offset. `files` are in order and not empty. */
export function fileAt(files: readonly LogFile[], offset: number): LogFile {
  const found = files[indexOfFile(files, offset)];
  if (!found) throw new RangeError('a log has at least one file');
  return found;
}
