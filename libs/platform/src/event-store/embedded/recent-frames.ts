interface Kept {
  readonly offset: number;
  readonly bytes: Buffer;
}

/** Keeps the end of the log in memory, where most live readers read; bounded by bytes. */
export class RecentFrames {
  private readonly frames: Kept[] = [];
  private total = 0;

  constructor(private readonly maxBytes: number) {}

  /** Adds a frame. Frames arrive in the order of the log. When there are too many bytes, the older half is dropped. */
  add(bytes: Buffer, offset: number): void {
    this.frames.push({ offset, bytes });
    this.total += bytes.length;
    while (this.total > this.maxBytes) {
      const dropped = this.frames.splice(0, Math.ceil(this.frames.length / 2));
      for (const frame of dropped) this.total -= frame.bytes.length;
    }
  }

  /** Returns the bytes when all of them are in memory, else undefined. */
  read(offset: number, length: number): Buffer | undefined {
    const start = this.indexAt(offset);
    const frame = this.frames[start];
    if (!frame) return undefined;
    const skip = offset - frame.offset;
    if (skip + length <= frame.bytes.length) return frame.bytes.subarray(skip, skip + length);
    const parts: Buffer[] = [];
    let missing = skip + length;
    for (let i = start; missing > 0; i++) {
      const part = this.frames[i];
      if (!part) return undefined;
      parts.push(part.bytes);
      missing -= part.bytes.length;
    }
    return Buffer.concat(parts).subarray(skip, skip + length);
  }

  /** Returns the index of the last frame in memory that begins at or before `offset`, or -1. */
  private indexAt(offset: number): number {
    let low = 0;
    let high = this.frames.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      if ((this.frames[middle]?.offset ?? Infinity) <= offset) low = middle + 1;
      else high = middle - 1;
    }
    return high;
  }
}
