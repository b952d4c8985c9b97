import { closeSync, createReadStream, fstatSync, ftruncateSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { lockDirectory } from './directory-lock.js';
import type { JournalEntry } from './fake-cloud.port.js';

/** Where the journal of a data directory is. */
export function journalPath(dataDir: string): string {
  return join(dataDir, 'fake-cloud', 'journal.jsonl');
}

/**
 * The append-only file that is both journal and state. A line is written before its call is answered, without fsync: it
 * survives the death of the process, not that of the machine. A torn last line was never answered and is cut off.
 */
export class JournalFile {
  private constructor(
    readonly path: string,
    private readonly file: number,
    private readonly unlock: () => void,
  ) {}

  /** Opens or makes the journal and hands every entry in it to `replay`, in order. Throws DriverError where another process has it. */
  static async open(dataDir: string, replay: (entry: JournalEntry) => void): Promise<JournalFile> {
    const path = journalPath(dataDir);
    mkdirSync(join(dataDir, 'fake-cloud'), { recursive: true, mode: 0o700 });
    const unlock = lockDirectory(join(dataDir, 'fake-cloud', 'lock'));
    const file = openSync(path, 'a+');
    const whole = await replayFile(path, replay);
    const { size } = fstatSync(file);
    if (whole > size) writeSync(file, '\n');
    else ftruncateSync(file, whole);
    return new JournalFile(path, file, unlock);
  }

  append(entry: JournalEntry): void {
    writeSync(this.file, JSON.stringify(entry) + '\n');
  }

  close(): void {
    closeSync(this.file);
    this.unlock();
  }
}

/** Reads a journal in order, e.g. for a history checker; also while it is written. */
export async function* readJournal(path: string): AsyncGenerator<JournalEntry> {
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    const entry = parseLine(line);
    if (!entry) return;
    yield entry;
  }
}

/** Answers how many bytes of the file are whole lines. */
async function replayFile(path: string, replay: (entry: JournalEntry) => void): Promise<number> {
  let bytes = 0;
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    const entry = parseLine(line);
    if (!entry) break;
    bytes += Buffer.byteLength(line) + 1;
    replay(entry);
  }
  return bytes;
}

function parseLine(line: string): JournalEntry | undefined {
  try {
    return JSON.parse(line);
  } catch {
    // a torn line: the process was killed within the write
    return undefined;
  }
}
