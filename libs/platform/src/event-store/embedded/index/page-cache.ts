import { PAGE_BYTES } from './segment-layout.js';

/** The pages of all segments that are kept: 4 MB. */
const MAX_PAGES = 1024;

/** The pages that were loaded last. */
export class PageCache {
  private readonly pages = new Map<number, Buffer>();

  get(number: number): Buffer | undefined {
    return this.pages.get(number);
  }

  keep(number: number, page: Buffer): Buffer {
    this.pages.set(number, page);
    if (this.pages.size > MAX_PAGES) this.evict();
    return page;
  }

  /** Forgets the quarter that was loaded first. */
  private evict(): void {
    for (const number of this.pages.keys()) {
      if (this.pages.size <= MAX_PAGES * 0.75) return;
      this.pages.delete(number);
    }
  }
}

/** Reads the body of one segment by pages. */
export class PageReader {
  /** `load` returns a page with a correct checksum. */
  constructor(
    private readonly cache: PageCache,
    private readonly firstPage: number,
    private readonly load: (page: number) => Buffer,
  ) {}

  /** Reads a number, which never crosses pages. */
  u32(at: number): number {
    return this.pageAt(at).readUInt32LE(at % PAGE_BYTES);
  }

  bytes(at: number, length: number): Buffer {
    const start = at % PAGE_BYTES;
    const page = this.pageAt(at);
    if (start + length <= page.length) return page.subarray(start, start + length);
    const parts = [page.subarray(start)];
    for (let done = PAGE_BYTES - start; done < length; done += PAGE_BYTES)
      parts.push(this.pageAt(at + done).subarray(0, Math.min(PAGE_BYTES, length - done)));
    return Buffer.concat(parts, length);
  }

  private pageAt(at: number): Buffer {
    const number = Math.floor(at / PAGE_BYTES);
    return this.cache.get(this.firstPage + number) ?? this.cache.keep(this.firstPage + number, this.load(number));
  }
}
