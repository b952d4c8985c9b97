import { open, type FileHandle } from 'node:fs/promises';
import { errorCode } from '../../../error-code.js';
import { CorruptLogError } from '../corrupt-log.error.js';
import { indexOfFile, type LogFile } from './log-file.js';

/** The files that stay open for reads when nobody reads them. */
const MAX_IDLE_FILES = 16;

interface OpenFile {
  readonly handle: Promise<FileHandle>;
  users: number;
}

/** Reads the files of the log. A file is opened by the first read of it; those that were read last stay open. */
export class LogReads {
  private readonly opened = new Map<string, OpenFile>();

  /** `files` are in order and may grow at the end. */
  constructor(private readonly files: readonly LogFile[]) {}

  /** Returns the bytes at an offset of the log, also of several files. Throws CorruptLogError when a file is missing or ends before. */
  async read(offset: number, length: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(length);
    let done = 0;
    for (let i = indexOfFile(this.files, offset); done < length; i++) {
      const file = this.files[i];
      if (!file) throw new RangeError(`no file of the log has offset ${offset + done}`);
      const end = Math.min(length, (this.files[i + 1]?.base ?? Infinity) - offset);
      await this.fill(file, bytes.subarray(done, end), offset + done - file.base);
      done = end;
    }
    return bytes;
  }

  async close(): Promise<void> {
    const all = [...this.opened.values()];
    this.opened.clear();
    const handles = await Promise.allSettled(all.map(({ handle }) => handle));
    await Promise.all(handles.map(result => (result.status === 'fulfilled' ? result.value.close() : undefined)));
  }

  private async fill({ path }: LogFile, bytes: Buffer, at: number): Promise<void> {
    const file = this.use(path);
    try {
      const handle = await file.handle;
      for (let done = 0; done < bytes.length;) {
        const { bytesRead } = await handle.read(bytes, done, bytes.length - done, at + done);
        if (bytesRead === 0)
          throw new CorruptLogError(path, at + done, 'it ends here: it was cut, or the file after it is missing');
        done += bytesRead;
      }
    } catch (error) {
      if (errorCode(error) === 'ENOENT') throw new CorruptLogError(path, at, 'the file is missing');
      throw error;
    } finally {
      file.users--;
      if (this.opened.size > MAX_IDLE_FILES) await this.closeIdle();
    }
  }

  /** Files are in the order of their last use. */
  private use(path: string): OpenFile {
    const file = this.opened.get(path) ?? this.open(path);
    this.opened.delete(path);
    this.opened.set(path, file);
    file.users++;
    return file;
  }

  private open(path: string): OpenFile {
    const handle = open(path, 'r');
    handle.catch(() => this.opened.delete(path)); // the next read tries again
    return { handle, users: 0 };
  }

  private async closeIdle(): Promise<void> {
    for (const [path, file] of this.opened) {
      if (this.opened.size <= MAX_IDLE_FILES) return;
      if (file.users > 0) continue;
      this.opened.delete(path);
      await (await file.handle).close();
    }
  }
}
