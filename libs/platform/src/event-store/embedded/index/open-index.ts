import { CorruptLogError } from '../corrupt-log.error.js';
import { eachFrame, withWindow } from '../files/log-window.js';
import { presentFiles } from '../files/list-files.js';
import { FIRST_HEADER, indexOfFile, type Extent } from '../files/log-file.js';
import { decodeHeader, FRAME_HEADER_BYTES } from '../frame.codec.js';
import { EventIndex } from './event-index.js';
import { IndexFile } from './index-file.js';
import { MemorySegment } from './memory-segment.js';
import type { SegmentHead } from './segment-layout.js';

interface IndexOptions {
  /** See EventIndexOptions. */
  readonly segmentEvents?: number;
  readonly onIndexError?: (error: unknown) => void;
}

/** Opens the index file beside the log with the segments that belong to it. `files` are those of the log. */
export function openIndex(log: string, files: readonly Extent[], options: IndexOptions): EventIndex {
  const { segmentEvents, onIndexError } = options;
  const readAgain = (head: SegmentHead): MemorySegment => readSegment(presentFiles(log), head);
  const belonging = (heads: readonly SegmentHead[]): number => countOf(heads, files);
  const { indexFile, segments } = IndexFile.open(`${log.replace(/\.log$/, '')}.index`, readAgain, belonging);
  return new EventIndex({
    file: indexFile,
    sealed: segments,
    start: FIRST_HEADER.length,
    ...(segmentEvents !== undefined && { segmentEvents }),
    ...(onIndexError && { onError: onIndexError }),
  });
}

/**
 * Returns how many of the segments continue each other and end with one whose last frame the log has there. It proves those before, which were
 * known to belong to the log when it was written; so older files of the log are not read.
 */
function countOf(heads: readonly SegmentHead[], files: readonly Extent[]): number {
  const end = files.at(-1)?.end ?? 0;
  let next = { position: 0, offset: FIRST_HEADER.length };
  let count = 0;
  for (const head of heads) {
    if (head.first !== next.position || head.firstOffset !== next.offset || head.endOffset > end) break;
    next = { position: head.first + head.count, offset: head.endOffset };
    count++;
  }
  while (count > 0 && !hasLastFrame(heads[count - 1], files)) count--;
  return count;
}

function hasLastFrame(head: SegmentHead | undefined, files: readonly Extent[]): boolean {
  const file = head && files[indexOfFile(files, head.lastFrameOffset)];
  if (!file) return false;
  try {
    return withWindow(
      file,
      window => {
        const last = decodeHeader(window.at(head.lastFrameOffset, FRAME_HEADER_BYTES));
        return last?.crc === head.lastFrameCrc && head.lastFrameOffset + last.frameBytes === head.endOffset;
      },
      FRAME_HEADER_BYTES,
    );
  } catch (error) {
    if (error instanceof CorruptLogError) return false; // the file is missing
    throw error;
  }
}

/** Reads the part of the log with a segment again. Throws CorruptLogError. */
function readSegment(files: readonly Extent[], head: SegmentHead): MemorySegment {
  const segment = new MemorySegment(head.first, head.firstOffset);
  const end = eachFrame(
    files,
    head.firstOffset,
    ({ header, bytes }, offset) => {
      const stream = bytes.toString('utf8', FRAME_HEADER_BYTES, FRAME_HEADER_BYTES + header.streamBytes);
      if (header.count > 0) segment.addFrame(stream, header, bytes, offset);
    },
    head.endOffset,
  );
  const file = files[indexOfFile(files, end)];
  if (end < head.endOffset && file)
    throw new CorruptLogError(file.path, end - file.base, 'acknowledged events have changed');
  return segment;
}
