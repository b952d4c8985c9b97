import { closeSync, constants, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { CorruptLogError } from './corrupt-log.error.js';
import { EventIndex } from './index/event-index.js';
import { IndexFile } from './index/index-file.js';
import { MemorySegment } from './index/memory-segment.js';
import type { SegmentHead } from './index/segment-layout.js';
import { decodeHeader, FRAME_HEADER_BYTES, hasValidChecksum, MAGIC_BYTES, type FrameHeader } from './frame.codec.js';

interface RecoveredLog {
  readonly index: EventIndex;
  readonly size: number;
  /** The number of bytes of an incomplete write that were removed from the end. */
  readonly cutBytes: number;
}

const WINDOW_BYTES = 4 * 1024 * 1024;
const FILE_HEADER = Buffer.from('STAVE EVENTS 1\r\n', 'latin1');

export interface RecoveryOptions {
  /** See EventIndexOptions. */
  readonly segmentEvents?: number;
  readonly onIndexError?: (error: unknown) => void;
}

/**
 * Opens the log, or creates it: reads the part that the index file does not have, or all of it, and removes an incomplete write at its
 * end. Throws CorruptLogError.
 */
export function recoverLog(file: string, options: RecoveryOptions = {}): RecoveredLog {
  const fd = openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    const { size } = fstatSync(fd);
    if (size < FILE_HEADER.length) begin(fd, file, size);
    return scan(fd, file, Math.max(size, FILE_HEADER.length), options);
  } finally {
    closeSync(fd);
  }
}

function begin(fd: number, file: string, size: number): void {
  const found = new LogWindow(fd, size).at(0, size);
  if (!FILE_HEADER.subarray(0, size).equals(found)) throw new CorruptLogError(file, 0, 'not an event log');
  writeSync(fd, FILE_HEADER, 0, FILE_HEADER.length, 0);
  fsyncSync(fd);
  const directory = openSync(dirname(file), 'r');
  fsyncSync(directory);
  closeSync(directory);
}

function scan(fd: number, file: string, size: number, options: RecoveryOptions): RecoveredLog {
  const window = new LogWindow(fd, size);
  if (!window.at(0, FILE_HEADER.length).equals(FILE_HEADER)) throw new CorruptLogError(file, 0, 'not an event log');
  const index = openIndex(fd, file, size, options);
  try {
    let offset = index.endOffset;
    while (offset < size) {
      const frame = frameAt(window, offset);
      if (!frame) break;
      add(index, frame, file, offset);
      offset += frame.bytes.length;
    }
    if (offset < size) cutTail(fd, window, file, offset);
    return { index, size: offset, cutBytes: size - offset };
  } catch (error) {
    index.close();
    throw error;
  }
}

function add(index: EventIndex, { header, bytes }: Frame, file: string, offset: number): void {
  try {
    index.addFrame(header, bytes, offset);
  } catch (error) {
    throw new CorruptLogError(file, offset, error instanceof Error ? error.message : String(error));
  }
}

/** Opens the index file beside the log with the segments that continue each other and end with a frame that the log has there. */
function openIndex(fd: number, file: string, size: number, options: RecoveryOptions): EventIndex {
  const { segmentEvents, onIndexError } = options;
  let next = { position: 0, offset: FILE_HEADER.length };
  const belongs = (head: SegmentHead): boolean => {
    if (head.first !== next.position || head.firstOffset !== next.offset || head.endOffset > size) return false;
    const last = decodeHeader(new LogWindow(fd, size, FRAME_HEADER_BYTES).at(head.lastFrameOffset, FRAME_HEADER_BYTES));
    if (last?.crc !== head.lastFrameCrc || head.lastFrameOffset + last.frameBytes !== head.endOffset) return false;
    next = { position: head.first + head.count, offset: head.endOffset };
    return true;
  };
  const readAgain = (head: SegmentHead): MemorySegment => segmentOf(file, head);
  const { indexFile, segments } = IndexFile.open(`${file.replace(/\.log$/, '')}.index`, readAgain, belongs);
  return new EventIndex({
    file: indexFile,
    sealed: segments,
    start: FILE_HEADER.length,
    ...(segmentEvents !== undefined && { segmentEvents }),
    ...(onIndexError && { onError: onIndexError }),
  });
}

/** Reads the part of the log with a segment again. Throws CorruptLogError. */
function segmentOf(file: string, head: SegmentHead): MemorySegment {
  const fd = openSync(file, 'r');
  try {
    const window = new LogWindow(fd, head.endOffset);
    const segment = new MemorySegment(head.first, head.firstOffset);
    for (let offset = head.firstOffset; offset < head.endOffset;) {
      const frame = frameAt(window, offset);
      if (!frame) throw new CorruptLogError(file, offset, 'acknowledged events have changed');
      const { header, bytes } = frame;
      const stream = bytes.toString('utf8', FRAME_HEADER_BYTES, FRAME_HEADER_BYTES + header.streamBytes);
      if (header.count > 0) segment.addFrame(stream, header, bytes, offset);
      offset += bytes.length;
    }
    return segment;
  } finally {
    closeSync(fd);
  }
}

interface Frame {
  readonly header: FrameHeader;
  readonly bytes: Buffer;
}

function frameAt(window: LogWindow, offset: number): Frame | undefined {
  const header = decodeHeader(window.at(offset, FRAME_HEADER_BYTES));
  if (!header) return undefined;
  const bytes = window.at(offset, header.frameBytes);
  return bytes.length === header.frameBytes && hasValidChecksum(header, bytes) ? { header, bytes } : undefined;
}

/**
 * Finds a valid frame behind damage. The pages of an interrupted write may reach the disk in any order, so valid frames
 * can follow the tear. Only a frame that was written when the damaged bytes were durable proves that acknowledged
 * events are lost.
 */
function cutTail(fd: number, window: LogWindow, file: string, tear: number): void {
  for (let at = nextMagic(window, tear + 1); at !== undefined; at = nextMagic(window, at + 1)) {
    const frame = frameAt(window, at);
    if (frame && frame.header.durable > tear) {
      throw new CorruptLogError(file, tear, `acknowledged events follow at byte ${at}`);
    }
  }
  ftruncateSync(fd, tear);
  fsyncSync(fd);
}

function nextMagic(window: LogWindow, from: number): number | undefined {
  const step = 1024 * 1024;
  for (let at = from; at < window.size; at += step) {
    const found = window.at(at, step + MAGIC_BYTES.length - 1).indexOf(MAGIC_BYTES);
    if (found >= 0) return at + found;
  }
  return undefined;
}

/** Reads a file forwards through one window. It is synchronous because nothing else runs before the log is open. */
class LogWindow {
  private window: Buffer = Buffer.alloc(0);
  private start = 0;

  constructor(
    private readonly fd: number,
    readonly size: number,
    private readonly windowBytes = WINDOW_BYTES,
  ) {}

  /** Returns the bytes at `offset`, fewer than `length` only at the end of the file; valid until the next call. */
  at(offset: number, length: number): Buffer {
    const wanted = Math.min(length, this.size - offset);
    if (offset < this.start || offset + wanted > this.start + this.window.length) this.load(offset, wanted);
    return this.window.subarray(offset - this.start, offset - this.start + wanted);
  }

  private load(offset: number, length: number): void {
    const bytes = Math.min(Math.max(length, this.windowBytes), this.size - offset);
    const buffer = Buffer.allocUnsafe(bytes);
    let done = 0;
    while (done < bytes) {
      const read = readSync(this.fd, buffer, done, bytes - done, offset + done);
      if (read === 0) break;
      done += read;
    }
    this.window = buffer.subarray(0, done);
    this.start = offset;
  }
}
