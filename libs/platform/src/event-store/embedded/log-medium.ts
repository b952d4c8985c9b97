/** Where the bytes of the log lie. Writes come one at a time. */
export interface LogMedium {
  /** For messages. */
  readonly name: string;
  /** Bytes written so far. */
  readonly size: number;
  /** Adds bytes at the end and resolves when they are durable. When it rejects, nothing of them stays, or `failed` is set. */
  append(bytes: readonly Buffer[]): Promise<void>;
  read(offset: number, length: number): Promise<Buffer>;
  /** Set when the medium can no longer be trusted with writes. */
  readonly failed: unknown;
  close(): Promise<void>;
}

/** A log that ends with its process. */
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
