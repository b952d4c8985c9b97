import { closeSync, constants, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { encodeSegment } from './encode-segment.js';
import type { MemorySegment } from './memory-segment.js';
import { PageCache, PageReader } from './page-cache.js';
import { SealedSegment } from './sealed-segment.js';
import {
  HEAD_BYTES,
  headBytesOf,
  PAGE_BYTES,
  readNumbers,
  readRest,
  sectionsOf,
  type SegmentHead,
} from './segment-layout.js';

interface FoundSegment {
  readonly segment: SealedSegment;
  readonly head: SegmentHead;
  /** The bytes of the file and the pages of it up to the end of this segment. */
  readonly end: number;
  readonly pages: number;
}

/** Reads a part of the log again, whose first event has position `first`. */
export type ReadAgain = (head: SegmentHead) => MemorySegment;

/**
 * The index of older events: sealed segments, one after the other, in a file beside the log. It is a cache of the log. Every page has a
 * checksum; a damaged page is written again from the log, and segments that do not belong to the log are cut off.
 */
export class IndexFile {
  private readonly fd: number;
  private readonly cache = new PageCache();
  private size = 0;
  private pages = 0;

  private constructor(
    file: string,
    private readonly readAgain: ReadAgain,
  ) {
    this.fd = openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600);
  }

  /** Opens the file, or creates it, with as many segments from its start as `belonging` says. */
  static open(
    file: string,
    readAgain: ReadAgain,
    belonging: (heads: readonly SegmentHead[]) => number,
  ): { readonly indexFile: IndexFile; readonly segments: readonly SealedSegment[] } {
    const indexFile = new IndexFile(file, readAgain);
    const found: FoundSegment[] = [];
    for (let next = indexFile.next(); next; next = indexFile.next()) found.push(next);
    const kept = found.slice(0, belonging(found.map(({ head }) => head)));
    indexFile.size = kept.at(-1)?.end ?? 0;
    indexFile.pages = kept.at(-1)?.pages ?? 0;
    if (fstatSync(indexFile.fd).size > indexFile.size) ftruncateSync(indexFile.fd, indexFile.size);
    return { indexFile, segments: kept.map(({ segment }) => segment) };
  }

  /** Writes a segment. Throws when there is no room; the file is then unchanged. It needs no fsync, because every page has a checksum. */
  add(segment: MemorySegment): SealedSegment {
    const bytes = encodeSegment(segment);
    try {
      this.write(bytes, this.size);
    } catch (error) {
      ftruncateSync(this.fd, this.size);
      throw error;
    }
    const found = this.next();
    if (!found) throw new Error('the index file does not contain what was written');
    return found.segment;
  }

  close(): void {
    closeSync(this.fd);
  }

  /** Returns the segment at the end of the known part. */
  private next(): FoundSegment | undefined {
    const start = this.size;
    const head = readNumbers(this.read(start, HEAD_BYTES));
    if (!head) return undefined;
    const headBytes = headBytesOf(head);
    const whole = this.read(start, headBytes);
    const rest = whole.length === headBytes ? readRest(whole, head) : undefined;
    if (!rest) return undefined; // numbers of a damaged head must not be used
    const { bodyBytes } = sectionsOf(head);
    const load = (page: number): Buffer => this.load(start, headBytes, head, rest.crcs, page);
    const reader = new PageReader(this.cache, this.pages, load);
    this.size += headBytes + bodyBytes;
    this.pages += rest.crcs.length;
    return { segment: new SealedSegment(head, rest.filter, reader), head, end: this.size, pages: this.pages };
  }

  private load(start: number, headBytes: number, head: SegmentHead, crcs: Uint32Array, page: number): Buffer {
    const at = start + headBytes + page * PAGE_BYTES;
    const length = Math.min(PAGE_BYTES, sectionsOf(head).bodyBytes - page * PAGE_BYTES);
    const isWhole = (bytes: Buffer): boolean => bytes.length === length && crc32(bytes) === crcs[page];
    const found = this.read(at, length);
    if (isWhole(found)) return found;
    this.write(encodeSegment(this.readAgain(head)), start);
    const again = this.read(at, length);
    if (!isWhole(again))
      throw new Error(`page ${page} of the index of events from ${head.first} on cannot be restored`);
    return again;
  }

  private read(at: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafeSlow(length);
    let done = 0;
    while (done < length) {
      const count = readSync(this.fd, bytes, done, length - done, at + done);
      if (count === 0) break;
      done += count;
    }
    return bytes.subarray(0, done);
  }

  private write(bytes: Buffer, at: number): void {
    for (let done = 0; done < bytes.length;) done += writeSync(this.fd, bytes, done, bytes.length - done, at + done);
  }
}
