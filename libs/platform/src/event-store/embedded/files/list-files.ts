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
  type Extent,
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
    const reason = next && (sizeDamage(file, next) ?? headerDamage(file, currentId));
    if (reason !== undefined) damaged.push({ file: file.path, reason });
  }
  return { files, currentBytes: statSync(current.path).size, damaged, logId: currentId };
}

function filesOf(log: string): readonly LogFile[] {
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
  const header = decodeLaterHeader(beginningOf(file));
  if (header?.base !== file.base) throw new CorruptLogError(file.path, 0, 'its header is damaged');
  if (logId && !header.logId.equals(logId)) throw new CorruptLogError(file.path, 0, 'it belongs to another log');
  return header.logId;
}

function sizeDamage(file: LogFile, next: LogFile): string | undefined {
  const wanted = next.base - file.base;
  const found = sizeOf(file.path);
  if (typeof found === 'string') return found;
  if (found > wanted)
    throw new CorruptLogError(
      file.path,
      wanted,
      `it has ${found - wanted} bytes behind the beginning of ${next.path}: an earlier release has written to it`,
    );
  return found < wanted ? `it has ${found} of the ${wanted} bytes before ${next.path}` : undefined;
}

function headerDamage(file: LogFile, currentId: Buffer | undefined): string | undefined {
  const bytes = beginningOf(file);
  if (file.base === 0)
    return bytes.subarray(0, FIRST_HEADER.length).equals(FIRST_HEADER) ? undefined : 'not an event log';
  const header = decodeLaterHeader(bytes);
  if (header?.base !== file.base) return 'its header is damaged';
  return currentId?.equals(header.logId) ? undefined : 'it belongs to another log';
}

function sizeOf(path: string): number | string {
  try {
    closeSync(openSync(path, 'r'));
    return statSync(path).size;
  } catch (error) {
    return `it cannot be opened: ${error instanceof Error ? error.message : String(error)}`;
  }
}

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
