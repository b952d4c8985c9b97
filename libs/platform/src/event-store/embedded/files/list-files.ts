import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { CorruptLogError } from '../corrupt-log.error.js';
import { EVENT_LENGTH_BYTES, FRAME_HEADER_BYTES } from '../frame.codec.js';
import { ID_BYTES } from '../event.codec.js';
import {
  baseOf,
  fileAt,
  decodeLaterHeader,
  FIRST_HEADER,
  firstFile,
  laterFile,
  LATER_HEADER_BYTES,
  pathAt,
  type Extent,
  type LaterHeader,
  type LogFile,
} from './log-file.js';
import { withWindow } from './log-window.js';

/** What is wrong with a file that never changes. Its events, or some of them, cannot be read. */
export type FileDamage = Readonly<Record<'file' | 'reason', string>>;

export interface ListedFiles {
  /** In order; the last is the current one. */
  readonly files: readonly LogFile[];
  /** The bytes of the current file. */
  readonly currentBytes: number;
  readonly damaged: readonly FileDamage[];
  /** The id of the first event, as the current file has it; undefined for a log of one file. */
  readonly logId: Buffer | undefined;
}

const IDENTITY_WINDOW_BYTES = 64 * 1024;

/**
 * Lists the files of a log, whose first file exists, and compares their sizes and headers. Throws CorruptLogError when the current file is not the
 * continuation of this log, or when another file has more than belongs to it.
 */
export function listFiles(log: string): ListedFiles {
  const files = filesOf(log);
  const current = fileAt(files, Infinity);
  const currentId = current.base > 0 ? requireHeader(current, identityOf(log)) : undefined;
  const damaged: FileDamage[] = [];
  for (const [i, file] of files.entries()) {
    const next = files[i + 1];
    if (!next) break;
    requireNoMore(file, next);
    const reason = problemOf(file, next, currentId);
    if (reason !== undefined) damaged.push({ file: file.path, reason });
  }
  return { files, currentBytes: statSync(current.path).size, damaged, logId: currentId };
}

/** Returns the files of a log by their names, unchecked. */
export function filesOf(log: string): readonly LogFile[] {
  const bases = readdirSync(dirname(log)).flatMap(name => baseOf(basename(log), name) ?? []);
  return [firstFile(log), ...bases.sort((a, b) => a - b).map(base => laterFile(log, base))];
}

/** Returns the files of a log with their present ends, unchecked. */
export function presentFiles(log: string): readonly Extent[] {
  const files = filesOf(log);
  return extentsOf(files, statSync(fileAt(files, Infinity).path).size);
}

/** Returns the id of the first event of the log; undefined when its first frame is damaged or missing. */
export function identityOf(log: string): Buffer | undefined {
  return withWindow(
    { ...firstFile(log), end: statSync(log).size },
    window => {
      const frame = window.frameAt(FIRST_HEADER.length);
      if (!frame || frame.header.count === 0) return undefined;
      const at = FRAME_HEADER_BYTES + frame.header.streamBytes + EVENT_LENGTH_BYTES;
      return Buffer.from(frame.bytes.subarray(at, at + ID_BYTES));
    },
    IDENTITY_WINDOW_BYTES,
  );
}

/** Returns the identity in the header of the current file. */
function requireHeader(file: LogFile, logId: Buffer | undefined): Buffer {
  const bytes = beginningOf(file);
  const problem = headerProblem(file, bytes, logId);
  const header = decodeLaterHeader(bytes);
  if (problem !== undefined || !header) throw new CorruptLogError(file.path, 0, problem ?? 'its header is damaged');
  return header.logId;
}

/** Throws CorruptLogError when a file has bytes that are hidden by the next one. */
function requireNoMore(file: LogFile, next: LogFile): void {
  const wanted = next.base - file.base;
  const bytes = sizeOf(file.path);
  if (bytes > wanted) throw new CorruptLogError(file.path, wanted, tooMuch(bytes - wanted, next));
}

const tooMuch = (bytes: number, next: LogFile): string =>
  `it has ${bytes} bytes that belong behind the beginning of ${basename(next.path)}: an earlier release has written to it`;

/**
 * Returns what is wrong with a file as a whole: its size, its header; undefined when nothing is. `next` is absent for the current file, `logId`
 * when it is unknown.
 */
export function problemOf(file: LogFile, next: LogFile | undefined, logId: Buffer | undefined): string | undefined {
  try {
    const wanted = next ? next.base - file.base : undefined;
    const bytes = beginningOf(file);
    const size = statSync(file.path).size;
    if (next && wanted !== undefined && size > wanted) return tooMuch(size - wanted, next);
    if (next && wanted !== undefined && size < wanted)
      return `it has ${size} of the ${wanted} bytes before ${basename(next.path)}: it was cut, or ${basename(pathAt(next, file.base + size))} is missing`;
    return headerProblem(file, bytes, logId);
  } catch (error) {
    return `it cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function headerProblem(file: LogFile, bytes: Buffer, logId: Buffer | undefined): string | undefined {
  if (file.base === 0)
    return bytes.subarray(0, FIRST_HEADER.length).equals(FIRST_HEADER) ? undefined : 'it is not an event log';
  const header = decodeLaterHeader(bytes);
  if (header?.base !== file.base) return 'its header is damaged';
  return logId && !logId.equals(header.logId) ? 'it belongs to another log' : undefined;
}

/** Returns the header of a later file; undefined when it is damaged or cannot be read. */
export function headerOf(file: LogFile): LaterHeader | undefined {
  return problemOf(file, undefined, undefined) === undefined ? decodeLaterHeader(beginningOf(file)) : undefined;
}

/** Returns 0 for a file that is missing. */
const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

function beginningOf({ path }: LogFile): Buffer {
  const fd = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(LATER_HEADER_BYTES);
    return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(fd);
  }
}

/** Returns the files with their ends. A header that is not complete yet counts as if it were. */
export const extentsOf = (files: readonly LogFile[], currentBytes: number): readonly Extent[] =>
  files.map((file, i) => {
    const end = file.base + Math.max(currentBytes, file.headerBytes);
    return { ...file, end: files[i + 1]?.base ?? end };
  });
