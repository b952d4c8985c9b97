import { constants } from 'node:fs';
import { open, rename, stat, statfs, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from '../../../error-code.js';
import { CorruptLogError } from '../corrupt-log.error.js';
import type { LogMedium } from '../log-medium.js';
import { identityOf } from './list-files.js';
import { encodeLaterHeader, fileAt, firstFile, laterFile, unfinishedFile, type LogFile } from './log-file.js';
import { LogReads } from './log-reads.js';

/** The codes of a full disk, which are reported before data is lost. */
const NO_SPACE: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

const isFull = (error: unknown): boolean => NO_SPACE.has(errorCode(error));

/** Below this number of free bytes a write shows whether there is room. It is the limit of one append. */
const ENOUGH_BYTES = 1024 * 1024;
const PROBE_BYTES = 64 * 1024;

/** Receives messages for operators. */
export type MediumMessages = (message: string, fields: Readonly<Record<string, unknown>>) => void;

/** The bytes of events after which the log continues in a new file. */
const FILE_BYTES = 256 * 1024 * 1024;

export interface FileMediumOptions {
  /** The files of the log, in order; default: it has one. */
  readonly files?: readonly LogFile[];
  /** The id of the first event, when it is known. */
  readonly logId?: Buffer;
  /** Whether writes survive a power failure; default true. */
  readonly fsync?: boolean;
  /** The bytes after which a new file begins; default 256 MiB. */
  readonly fileBytes?: number;
  /** Called once when writes begin to fail, and when they succeed again. */
  readonly report?: MediumMessages;
}

/**
 * The log in files. A write returns when it is durable: O_DSYNC gives the guarantee of fdatasync within the same call,
 * so that an append takes one turn of the thread pool instead of two.
 */
export class FileMedium implements LogMedium {
  failed: unknown = undefined;
  full: unknown = undefined;
  private readonly reads: LogReads;
  private readonly fileBytes: number;
  private readonly report: MediumMessages;
  private logId: Buffer | undefined;
  /** The size at which a new file is tried again after a failure. */
  private retryAt = 0;

  private constructor(
    private handle: FileHandle,
    readonly name: string,
    public size: number,
    private readonly files: LogFile[],
    private readonly options: FileMediumOptions,
  ) {
    this.reads = new LogReads(files);
    this.fileBytes = options.fileBytes ?? FILE_BYTES;
    this.report = options.report ?? (() => {});
    this.logId = options.logId;
  }

  /** Opens an existing log; `size` is the length of its valid part. */
  static async open(log: string, size: number, options: FileMediumOptions = {}): Promise<FileMedium> {
    const files = [...(options.files ?? [firstFile(log)])];
    const handle = await open(files.at(-1)?.path ?? log, writeFlags(options));
    return new FileMedium(handle, log, size, files, options);
  }

  async prepare(position: number): Promise<void> {
    const { base, headerBytes } = this.current;
    const events = this.size - base - headerBytes;
    if (this.failed || events < this.fileBytes || this.size < this.retryAt || position === 0) return;
    try {
      await this.beginFile(position);
    } catch (err) {
      // the current file is as good: appends continue in it
      this.retryAt = this.size + this.fileBytes / 8;
      this.report('a new file of the event log cannot be begun', { file: laterFile(this.name, this.size).path, err });
    }
  }

  /** The new file gets its name when its header is durable. From then on the former one is complete. */
  private async beginFile(position: number): Promise<void> {
    const logId = (this.logId ??= identityOf(this.name));
    if (!logId) throw new CorruptLogError(this.name, 0, 'its first event has changed');
    const file = laterFile(this.name, this.size);
    const unfinished = unfinishedFile(this.name);
    const handle = await open(unfinished, writeFlags(this.options) | constants.O_CREAT | constants.O_TRUNC, 0o600);
    try {
      await handle.writeFile(encodeLaterHeader({ base: file.base, firstPosition: position, logId }));
      if (this.options.fsync !== false) await handle.sync();
      await this.rename(unfinished, file.path);
      // without the directory on disk, a power failure would lose the file and what is acknowledged in it
      if (this.options.fsync !== false) await syncDirectory(this.name).catch(error => this.fail(error));
    } catch (error) {
      await handle.close();
      throw error;
    }
    const former = this.handle;
    this.files.push(file);
    this.handle = handle;
    this.size += file.headerBytes;
    await former.close();
  }

  /** When it is not certain that the new name does not exist, nothing more must be written to the former file. */
  private async rename(from: string, to: string): Promise<void> {
    try {
      await rename(from, to);
    } catch (error) {
      if (await isThere(to)) this.fail(error);
      throw error;
    }
  }

  private fail(error: unknown): void {
    this.failed = error;
    this.reportWrite(error, false);
  }

  where(offset: number): { readonly file: string; readonly offset: number } {
    const { path, base } = fileAt(this.files, offset);
    return { file: path, offset: offset - base };
  }

  private get current(): LogFile {
    return fileAt(this.files, Infinity);
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
      await this.handle.truncate(this.size - this.current.base);
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
    const at = this.size - this.current.base;
    let done = 0;
    try {
      while (done < bytes.length) {
        const { bytesWritten } = await this.handle.write(bytes, done, bytes.length - done, at + done);
        done += bytesWritten;
      }
      if (this.full) this.report('the event log has room again', { file: this.name });
      this.full = undefined;
    } catch (error) {
      const wasFull = this.full !== undefined;
      // A partial write to a full disk is removed, since a later, shorter write would not cover it. After another error
      // the kernel may have dropped pages: only a recovery shows what is on disk.
      this.full = isFull(error) ? error : undefined;
      this.failed = this.full ? await this.handle.truncate(at).catch((reason: unknown) => reason) : error;
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

  read(offset: number, length: number): Promise<Buffer> {
    return this.reads.read(offset, length);
  }

  async close(): Promise<void> {
    await this.reads.close();
    await this.handle.close();
  }
}

const writeFlags = ({ fsync = true }: FileMediumOptions): number =>
  fsync ? constants.O_RDWR | constants.O_DSYNC : constants.O_RDWR;

async function isThere(path: string): Promise<boolean> {
  const found = await stat(path).catch((error: unknown) => error);
  return errorCode(found) !== 'ENOENT';
}

async function syncDirectory(path: string): Promise<void> {
  const handle = await open(dirname(path), 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
