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

  /** Opens the file, or creates it, with the segments from the start of the log that `belongs` accepts. */
  static open(
    file: string,
    readAgain: ReadAgain,
    belongs: (head: SegmentHead) => boolean,
  ): { readonly indexFile: IndexFile; readonly segments: SealedSegment[] } {
    const indexFile = new IndexFile(file, readAgain);
    const segments: SealedSegment[] = [];
    for (let next = indexFile.next(belongs); next; next = indexFile.next(belongs)) segments.push(next);
    if (fstatSync(indexFile.fd).size > indexFile.size) ftruncateSync(indexFile.fd, indexFile.size);
    return { indexFile, segments };
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
    const sealed = this.next(() => true);
    if (!sealed) throw new Error('the index file does not contain what was written');
    return sealed;
  }

  close(): void {
    closeSync(this.fd);
  }

  /** Returns the segment at the end of the known part. */
  private next(belongs: (head: SegmentHead) => boolean): SealedSegment | undefined {
    const start = this.size;
    const head = readNumbers(this.read(start, HEAD_BYTES));
    if (!head) return undefined;
    const headBytes = headBytesOf(head);
    const whole = this.read(start, headBytes);
    const rest = whole.length === headBytes ? readRest(whole, head) : undefined;
    // numbers of a damaged head must not be used
    if (!rest || !belongs(head)) return undefined;
    const { bodyBytes } = sectionsOf(head);
    const load = (page: number): Buffer => this.load(start, headBytes, head, rest.crcs, page);
    const reader = new PageReader(this.cache, this.pages, load);
    this.size += headBytes + bodyBytes;
    this.pages += rest.crcs.length;
    return new SealedSegment(head, rest.filter, reader);
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
