import { constants } from 'node:fs';
import { open, statfs, type FileHandle } from 'node:fs/promises';
import { errorCode } from '../../error-code.js';

/** The storage of the log. Writes do not overlap. */
export interface LogMedium {
  /** The name for messages. */
  readonly name: string;
  /** The number of bytes written. */
  readonly size: number;
  /** Resolves when the bytes are durable. When it rejects, either none of them remains or `failed` is set. */
  append(bytes: readonly Buffer[]): Promise<void>;
  read(offset: number, length: number): Promise<Buffer>;
  /** The error after which the medium accepts no more writes. */
  readonly failed: unknown;
  /** The error of the last write when it found no room. Later writes are tried. */
  readonly full: unknown;
  /** Finds out whether there is room, and sets `full` or `failed`; never rejects. Not to be called during an append. */
  probe(): Promise<void>;
  close(): Promise<void>;
}

/** The codes of a full disk, which are reported before data is lost. */
const NO_SPACE: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

const isFull = (error: unknown): boolean => NO_SPACE.has(errorCode(error));

/** Below this number of free bytes a write shows whether there is room. It is the limit of one append. */
const ENOUGH_BYTES = 1024 * 1024;
const PROBE_BYTES = 64 * 1024;

/** Receives messages for operators. */
export type MediumMessages = (message: string, fields: Readonly<Record<string, unknown>>) => void;

/**
 * The log in a file. A write returns when it is durable: O_DSYNC gives the guarantee of fdatasync within the same call,
 * so that an append takes one turn of the thread pool instead of two.
 */
export class FileMedium implements LogMedium {
  failed: unknown = undefined;
  full: unknown = undefined;

  private constructor(
    private readonly handle: FileHandle,
    readonly name: string,
    public size: number,
    private readonly report: MediumMessages,
  ) {}

  /** Opens an existing file; `size` is the length of its valid part. `report` is called once when writes begin to fail, and when they succeed again. */
  static async open(
    file: string,
    size: number,
    fsync: boolean,
    report: MediumMessages = () => {},
  ): Promise<FileMedium> {
    const flags = fsync ? constants.O_RDWR | constants.O_DSYNC : constants.O_RDWR;
    return new FileMedium(await open(file, flags), file, size, report);
  }

  async append(parts: readonly Buffer[]): Promise<void> {
    const bytes = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
    await this.write(bytes);
    this.size += bytes.length;
  }

  async probe(): Promise<void> {
    if (this.failed || (!this.full && (await this.hasEnoughSpace()))) return;
    try {
      await this.write(Buffer.alloc(PROBE_BYTES));
      await this.handle.truncate(this.size);
    } catch (error) {
      if (!this.full) this.failed ??= error;
    }
  }

  private async hasEnoughSpace(): Promise<boolean> {
    const found = await statfs(this.name).catch(() => undefined);
    return found !== undefined && found.bavail * found.bsize >= ENOUGH_BYTES;
  }

  /** Writes behind the end of the log. */
  private async write(bytes: Buffer): Promise<void> {
    let done = 0;
    try {
      while (done < bytes.length) {
        const { bytesWritten } = await this.handle.write(bytes, done, bytes.length - done, this.size + done);
        done += bytesWritten;
      }
      if (this.full) this.report('the event log has room again', { file: this.name });
      this.full = undefined;
    } catch (error) {
      const wasFull = this.full !== undefined;
      // A partial write to a full disk is removed, since a later, shorter write would not cover it. After another error
      // the kernel may have dropped pages: only a recovery shows what is on disk.
      this.full = isFull(error) ? error : undefined;
      this.failed = this.full ? await this.handle.truncate(this.size).catch((reason: unknown) => reason) : error;
      this.reportWrite(error, wasFull);
      throw error;
    }
  }

  private reportWrite(err: unknown, wasFull: boolean): void {
    const fields = { file: this.name, err };
    if (this.failed)
      this.report('the event log cannot be written: restart the process, which recovers the log', fields);
    else if (!wasFull)
      this.report('the disk of the event log is full: nothing is accepted until there is room', fields);
  }

  async read(offset: number, length: number): Promise<Buffer> {
    const buffer = Buffer.allocUnsafe(length);
    let done = 0;
    while (done < length) {
      const { bytesRead } = await this.handle.read(buffer, done, length - done, offset + done);
      if (bytesRead === 0) throw new Error(`${this.name} ends at ${offset + done}, expected ${offset + length}`);
      done += bytesRead;
    }
    return buffer;
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}

/** A log in memory that ends with its process. */
export class MemoryMedium implements LogMedium {
  readonly name = 'memory';
  readonly failed = undefined;
  readonly full: unknown = undefined;
  private bytes = Buffer.alloc(64 * 1024);
  size = 0;

  async append(parts: readonly Buffer[]): Promise<void> {
    for (const part of parts) {
      while (this.size + part.length > this.bytes.length) {
        this.bytes = Buffer.concat([this.bytes], this.bytes.length * 2);
      }
      this.size += part.copy(this.bytes, this.size);
    }
  }

  async read(offset: number, length: number): Promise<Buffer> {
    return this.bytes.subarray(offset, offset + length);
  }

  async probe(): Promise<void> {}

  async close(): Promise<void> {
    this.bytes = Buffer.alloc(0);
  }
}
