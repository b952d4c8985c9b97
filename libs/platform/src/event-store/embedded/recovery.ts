import { closeSync, constants, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { EventIndex } from './event-index.js';
import { decodeHeader, FRAME_HEADER_BYTES, hasValidChecksum, MAGIC_BYTES, type FrameHeader } from './frame.codec.js';

/** The log is damaged in acknowledged events. Nothing was changed. */
export class CorruptLogError extends Error {
  constructor(
    readonly file: string,
    readonly offset: number,
    reason: string,
  ) {
    super(`${file} is damaged at byte ${offset}: ${reason}`);
    this.name = 'CorruptLogError';
  }
}

interface RecoveredLog {
  readonly index: EventIndex;
  readonly size: number;
  /** The number of bytes of an incomplete write that were removed from the end. */
  readonly cutBytes: number;
}

const WINDOW_BYTES = 4 * 1024 * 1024;
const FILE_HEADER = Buffer.from('STAVE EVENTS 1\r\n', 'latin1');

/** Reads the complete log, creates the file when it is missing, and removes an incomplete write at its end. */
export function recoverLog(file: string): RecoveredLog {
  const fd = openSync(file, constants.O_RDWR | constants.O_CREAT, 0o666);
  try {
    const { size } = fstatSync(fd);
    return size < FILE_HEADER.length ? begin(fd, file, size) : scan(fd, file, size);
  } finally {
    closeSync(fd);
  }
}

function begin(fd: number, file: string, size: number): RecoveredLog {
  const found = new LogWindow(fd, size).at(0, size);
  if (!FILE_HEADER.subarray(0, size).equals(found)) throw new CorruptLogError(file, 0, 'not an event log');
  writeSync(fd, FILE_HEADER, 0, FILE_HEADER.length, 0);
  fsyncSync(fd);
  const directory = openSync(dirname(file), 'r');
  fsyncSync(directory);
  closeSync(directory);
  return { index: new EventIndex(), size: FILE_HEADER.length, cutBytes: 0 };
}

function scan(fd: number, file: string, size: number): RecoveredLog {
  const window = new LogWindow(fd, size);
  if (!window.at(0, FILE_HEADER.length).equals(FILE_HEADER)) throw new CorruptLogError(file, 0, 'not an event log');
  const index = new EventIndex();
  let offset = FILE_HEADER.length;
  while (offset < size) {
    const frame = frameAt(window, offset);
    if (!frame) break;
    try {
      index.addFrame(frame.header, frame.bytes, offset);
    } catch (error) {
      throw new CorruptLogError(file, offset, error instanceof Error ? error.message : String(error));
    }
    offset += frame.bytes.length;
  }
  if (offset < size) cutTail(fd, window, file, offset);
  return { index, size: offset, cutBytes: size - offset };
}

function frameAt(window: LogWindow, offset: number): { header: FrameHeader; bytes: Buffer } | undefined {
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
  ) {}

  /** Returns the bytes at `offset`, fewer than `length` only at the end of the file; valid until the next call. */
  at(offset: number, length: number): Buffer {
    const wanted = Math.min(length, this.size - offset);
    if (offset < this.start || offset + wanted > this.start + this.window.length) this.load(offset, wanted);
    return this.window.subarray(offset - this.start, offset - this.start + wanted);
  }

  private load(offset: number, length: number): void {
    const bytes = Math.min(Math.max(length, WINDOW_BYTES), this.size - offset);
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
