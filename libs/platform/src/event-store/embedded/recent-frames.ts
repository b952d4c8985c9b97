interface Kept {
  readonly offset: number;
  readonly bytes: Buffer;
}

/** The end of the log kept in memory, as live readers are mostly there; bounded by bytes. */
export class RecentFrames {
  private frames: Kept[] = [];
  private first = 0;
  private total = 0;

  constructor(private readonly maxBytes: number) {}

  /** Frames come in the order of the log. */
  add(bytes: Buffer, offset: number): void {
    this.frames.push({ offset, bytes });
    this.total += bytes.length;
    while (this.total > this.maxBytes && this.first < this.frames.length) {
      this.total -= this.frames[this.first]?.bytes.length ?? 0;
      this.first++;
    }
    if (this.first * 2 > this.frames.length + 64) {
      this.frames = this.frames.slice(this.first);
      this.first = 0;
    }
  }

  /** The bytes when all of them are kept. */
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

  /** Index of the last kept frame that begins at or before `offset`, or -1. */
  private indexAt(offset: number): number {
    let low = this.first;
    let high = this.frames.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      if ((this.frames[middle]?.offset ?? Infinity) <= offset) low = middle + 1;
      else high = middle - 1;
    }
    return high < this.first ? -1 : high;
  }
}
