import { closeSync, constants, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { CorruptLogError } from './corrupt-log.error.js';
import { extentsOf, listFiles, type FileDamage } from './files/list-files.js';
import { FIRST_HEADER, type Extent, type LogFile } from './files/log-file.js';
import { eachFrame, withWindow } from './files/log-window.js';
import type { EventIndex } from './index/event-index.js';
import { openIndex } from './index/open-index.js';

interface RecoveredLog {
  readonly index: EventIndex;
  readonly size: number;
  /** The number of bytes of an incomplete write that were removed from the end. */
  readonly cutBytes: number;
  /** In order; the last is the current one. */
  readonly files: readonly LogFile[];
  /** The id of the first event, when the log has more than one file. */
  readonly logId: Buffer | undefined;
  /** Files of which events that are not new cannot be read. */
  readonly damaged: readonly FileDamage[];
}

export interface RecoveryOptions {
  /** See EventIndexOptions. */
  readonly segmentEvents?: number;
  readonly onIndexError?: (error: unknown) => void;
  /** Whether what was found must survive a power failure; default true. */
  readonly fsync?: boolean;
}

/**
 * Opens the log, whose first file exists: reads the part that the index file does not have, or all of it, and removes an incomplete write
 * at its end. Throws CorruptLogError.
 */
export function recoverLog(log: string, options: RecoveryOptions = {}): RecoveredLog {
  const { files, currentBytes, damaged, logId } = listFiles(log);
  const extents = extentsOf(files, currentBytes);
  const current = extents.at(-1);
  if (!current) throw new RangeError('a log has at least one file');
  if (current.base === 0) requireFirstHeader(current, currentBytes);
  const index = openIndex(log, extents, options);
  try {
    const end = scan(index, extents, current);
    const cutBytes = Math.max(0, current.end - end);
    if (options.fsync !== false || cutBytes > 0) makeDurable(current, end);
    return { index, size: end, cutBytes, files, logId, damaged };
  } catch (error) {
    index.close();
    throw error;
  }
}

/** Checks the header of the first file, and completes one whose write was interrupted. */
function requireFirstHeader(file: Extent, bytes: number): void {
  const found = withWindow({ ...file, end: bytes }, window => Buffer.from(window.at(0, FIRST_HEADER.length)));
  if (!FIRST_HEADER.subarray(0, found.length).equals(found))
    throw new CorruptLogError(file.path, 0, 'not an event log');
  if (found.length === FIRST_HEADER.length) return;
  const fd = openSync(file.path, constants.O_RDWR);
  try {
    writeSync(fd, FIRST_HEADER, 0, FIRST_HEADER.length, 0);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  syncDirectory(file.path);
}

/** Adds what the index does not have, and returns the offset behind the last frame. */
function scan(index: EventIndex, extents: readonly Extent[], current: Extent): number {
  const end = eachFrame(extents, index.endOffset, ({ header, bytes }, offset, file) => {
    try {
      index.addFrame(header, bytes, offset);
    } catch (error) {
      throw new CorruptLogError(file.path, offset - file.base, error instanceof Error ? error.message : String(error));
    }
  });
  if (end < current.end) requireUnacknowledged(current, end);
  return end;
}

/**
 * Finds a valid frame behind damage. The pages of an interrupted write may reach the disk in any order, so valid frames
 * can follow the tear. Only a frame that was written when the damaged bytes were durable proves that acknowledged
 * events are lost.
 */
function requireUnacknowledged(file: Extent, tear: number): void {
  withWindow(file, window => {
    for (let at = window.nextFrame(tear + 1); at !== undefined; at = window.nextFrame(at + 1)) {
      const durable = window.frameAt(at)?.header.durable ?? 0;
      if (durable > tear)
        throw new CorruptLogError(file.path, tear - file.base, `acknowledged events follow at byte ${at - file.base}`);
    }
  });
}

/**
 * Removes what is behind `end`, and flushes the rest: a killed process may have left a complete write that is not on disk yet, and from now
 * on it is shown, and later frames say that it is durable. The same holds for the name of a file.
 */
function makeDurable(file: Extent, end: number): void {
  const fd = openSync(file.path, constants.O_RDWR);
  try {
    if (end < file.end) ftruncateSync(fd, end - file.base);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  if (file.base > 0) syncDirectory(file.path);
}

function syncDirectory(path: string): void {
  const fd = openSync(dirname(path), 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
