/** The storage of the log. Writes do not overlap. */
export interface LogMedium {
  /** The name for messages. */
  readonly name: string;
  /** The number of bytes written. */
  readonly size: number;
  /** Begins a new file when the current one is large enough; `size` grows by its header. `position` is that of the next event. Never rejects; not to be called during an append. */
  prepare(position: number): Promise<void>;
  /** Resolves when the bytes are durable. When it rejects, either none of them remains or `failed` is set. */
  append(bytes: readonly Buffer[]): Promise<void>;
  read(offset: number, length: number): Promise<Buffer>;
  /** Returns the file with this offset of the log, and the offset in that file, for messages. */
  where(offset: number): { readonly file: string; readonly offset: number };
  /** The error after which the medium accepts no more writes. */
  readonly failed: unknown;
  /** The error of the last write when it found no room. Later writes are tried. */
  readonly full: unknown;
  /** Finds out whether there is room, and sets `full` or `failed`; never rejects. Not to be called during an append. */
  probe(): Promise<void>;
  close(): Promise<void>;
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

  async prepare(): Promise<void> {}

  where(offset: number): { readonly file: string; readonly offset: number } {
    return { file: this.name, offset };
  }

  async read(offset: number, length: number): Promise<Buffer> {
    return this.bytes.subarray(offset, offset + length);
  }

  async probe(): Promise<void> {}

  async close(): Promise<void> {
    this.bytes = Buffer.alloc(0);
  }
}
