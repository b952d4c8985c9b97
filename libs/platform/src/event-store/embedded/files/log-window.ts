import { closeSync, openSync, readSync } from 'node:fs';
import { errorCode } from '../../../error-code.js';
import { CorruptLogError } from '../corrupt-log.error.js';
import { decodeHeader, FRAME_HEADER_BYTES, hasValidChecksum, MAGIC_BYTES, type FrameHeader } from '../frame.codec.js';
import { indexOfFile, type Extent } from './log-file.js';

const WINDOW_BYTES = 4 * 1024 * 1024;

export interface Frame {
  readonly header: FrameHeader;
  readonly bytes: Buffer;
}

/** Reads a file of the log forwards through one window. It is synchronous because nothing else runs before the log is open. */
export class LogWindow {
  private readonly fd: number;
  private window: Buffer = Buffer.alloc(0);
  private start = 0;

  /** Throws CorruptLogError when the file is missing. */
  constructor(
    readonly file: Extent,
    private readonly windowBytes = WINDOW_BYTES,
  ) {
    try {
      this.fd = openSync(file.path, 'r');
    } catch (error) {
      if (errorCode(error) === 'ENOENT') throw new CorruptLogError(file.path, 0, 'the file is missing');
      throw error;
    }
  }

  /** Returns the bytes at `offset` of the log, fewer than `length` only at the end of the file; valid until the next call. */
  at(offset: number, length: number): Buffer {
    const wanted = Math.max(0, Math.min(length, this.file.end - offset));
    if (offset < this.start || offset + wanted > this.start + this.window.length) this.load(offset, wanted);
    return this.window.subarray(offset - this.start, offset - this.start + wanted);
  }

  /** Returns the frame at `offset`; undefined unless it is complete and undamaged. */
  frameAt(offset: number): Frame | undefined {
    const header = decodeHeader(this.at(offset, FRAME_HEADER_BYTES));
    if (!header) return undefined;
    const bytes = this.at(offset, header.frameBytes);
    return bytes.length === header.frameBytes && hasValidChecksum(header, bytes) ? { header, bytes } : undefined;
  }

  /** Returns the offset of the next complete, undamaged frame from `from` on. */
  nextFrame(from: number): number | undefined {
    let at = this.nextMagic(from);
    while (at !== undefined && !this.frameAt(at)) at = this.nextMagic(at + 1);
    return at;
  }

  close(): void {
    closeSync(this.fd);
  }

  private nextMagic(from: number): number | undefined {
    const step = 1024 * 1024;
    for (let at = from; at < this.file.end; at += step) {
      const found = this.at(at, step + MAGIC_BYTES.length - 1).indexOf(MAGIC_BYTES);
      if (found >= 0) return at + found;
    }
    return undefined;
  }

  private load(offset: number, length: number): void {
    const bytes = Math.max(0, Math.min(Math.max(length, this.windowBytes), this.file.end - offset));
    const buffer = Buffer.allocUnsafe(bytes);
    let done = 0;
    while (done < bytes) {
      const read = readSync(this.fd, buffer, done, bytes - done, offset - this.file.base + done);
      if (read === 0) break;
      done += read;
    }
    this.window = buffer.subarray(0, done);
    this.start = offset;
  }
}

/** Calls `use` with a window on the file, and closes it. */
export function withWindow<T>(file: Extent, use: (window: LogWindow) => T, windowBytes?: number): T {
  const window = new LogWindow(file, windowBytes);
  try {
    return use(window);
  } finally {
    window.close();
  }
}

/**
 * Calls `visit` with each frame from the offset `from` on, which is that of a frame or of a file, until `to` or the end of the files. Returns
 * the offset behind the last frame. Throws CorruptLogError for damage before the last file.
 */
export function eachFrame(
  files: readonly Extent[],
  from: number,
  visit: (frame: Frame, offset: number, file: Extent) => void,
  to = Infinity,
): number {
  let offset = from;
  for (const [i, file] of files.slice(indexOfFile(files, from)).entries()) {
    if (offset >= to) break;
    const isLast = file === files.at(-1);
    offset = Math.max(i === 0 ? from : 0, file.base + file.headerBytes);
    const end = Math.min(to, file.end);
    withWindow(file, window => {
      for (let frame = window.frameAt(offset); frame && offset < end; frame = window.frameAt(offset)) {
        visit(frame, offset, file);
        offset += frame.bytes.length;
      }
    });
    if (offset < end && !isLast)
      throw new CorruptLogError(file.path, offset - file.base, 'acknowledged events have changed');
  }
  return offset;
}
