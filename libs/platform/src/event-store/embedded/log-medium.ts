/** The storage of the log. Writes do not overlap. */
export interface LogMedium {
  /** The name for messages. */
  readonly name: string;
  /** The number of bytes written. */
  readonly size: number;
  /**
   * Appends bytes and resolves when they are durable. When it rejects, either nothing of them remains or `failed` is
   * set.
   */
  append(bytes: readonly Buffer[]): Promise<void>;
  read(offset: number, length: number): Promise<Buffer>;
  /** The error after which the medium accepts no more writes. */
  readonly failed: unknown;
  close(): Promise<void>;
}

/** A log in memory that ends with its process. */
export class MemoryMedium implements LogMedium {
  readonly name = 'memory';
  readonly failed = undefined;
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

  async close(): Promise<void> {
    this.bytes = Buffer.alloc(0);
  }
}
