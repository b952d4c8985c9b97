import { readSync } from 'node:fs';

const WINDOW_BYTES = 4 * 1024 * 1024;

/** Reads a file forwards through one window. It is synchronous because nothing else runs before the log is open. */
export class LogWindow {
  private window: Buffer = Buffer.alloc(0);
  private start = 0;

  constructor(
    private readonly fd: number,
    readonly size: number,
  ) {}

  /**
   * Returns the bytes at `offset`, fewer than `length` only at the end of the file. They are valid until the next call.
   */
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
