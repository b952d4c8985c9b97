import { closeSync, createReadStream, fstatSync, ftruncateSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { lockDirectory } from './directory-lock.js';
import type { JournalEntry } from './fake-cloud.port.js';

export function journalPath(dataDir: string): string {
  return join(dataDir, 'fake-cloud', 'journal.jsonl');
}

/**
 * The append-only file that is both journal and state. A line is written before the reply, without fsync: it survives a crash of the
 * process, not of the machine. An incomplete last line belongs to a call without a reply and is truncated.
 */
export class JournalFile {
  private constructor(
    private readonly file: number,
    private readonly unlock: () => void,
  ) {}

  /** Opens or creates the journal and passes its entries to `replay`, in order. Throws DriverError when another process has it open. */
  static async open(dataDir: string, replay: (entry: JournalEntry) => void): Promise<JournalFile> {
    const path = journalPath(dataDir);
    mkdirSync(join(dataDir, 'fake-cloud'), { recursive: true, mode: 0o700 });
    const unlock = lockDirectory(join(dataDir, 'fake-cloud', 'lock'));
    const file = openSync(path, 'a+', 0o600);
    try {
      let complete = 0;
      for await (const { line, entry } of completeLines(path)) {
        complete += Buffer.byteLength(line) + 1;
        replay(entry);
      }
      const { size } = fstatSync(file);
      if (complete > size) writeSync(file, '\n');
      else ftruncateSync(file, complete);
      return new JournalFile(file, unlock);
    } catch (error) {
      closeSync(file);
      unlock();
      throw error;
    }
  }

  /** Appends the complete line or, on a full disk, nothing of it. */
  append(entry: JournalEntry): void {
    const line = Buffer.from(JSON.stringify(entry) + '\n');
    const { size } = fstatSync(this.file);
    try {
      for (let done = 0; done < line.length;) done += writeSync(this.file, line, done);
    } catch (error) {
      ftruncateSync(this.file, size);
      throw error;
    }
  }

  close(): void {
    closeSync(this.file);
    this.unlock();
  }
}

/** Reads the entries of a journal in order, also while it is being written. */
export async function* readJournal(path: string): AsyncGenerator<JournalEntry> {
  for await (const { entry } of completeLines(path)) yield entry;
}

async function* completeLines(path: string): AsyncGenerator<{ readonly line: string; readonly entry: JournalEntry }> {
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    const entry = parseLine(line);
    if (!entry) return;
    yield { line, entry };
  }
}

function parseLine(line: string): JournalEntry | undefined {
  try {
    return JSON.parse(line);
  } catch {
    // an incomplete line: the process was killed during the write
    return undefined;
  }
}
