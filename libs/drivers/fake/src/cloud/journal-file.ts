import {
  closeSync,
  createReadStream,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { lockDirectory } from './directory-lock.js';
import type { JournalEntry } from './fake-cloud.port.js';
import { readState, writeState, type CloudState, type StoredState } from './state-file.js';

/** A state is stored at a start that replayed as much. */
const MUCH_BYTES = 4 * 1024 * 1024;
const NEW_LINE = 0x0a;

/** The owner of the state that a journal leads to. */
export interface JournaledState {
  restore(state: CloudState): void;
  replay(entry: JournalEntry): void;
  /** Returns the state after the last entry; undefined without entries. */
  current(): CloudState | undefined;
}

export function journalPath(dataDir: string): string {
  return join(dataDir, 'fake-cloud', 'journal.jsonl');
}

/**
 * The append-only file that is both journal and state. A line is written before the reply, without fsync: it survives a crash of the
 * process, not of the machine. An incomplete last line belongs to a call without a reply and is truncated. The state is stored beside it when
 * it is closed, so that the next start replays only what came later.
 */
export class JournalFile {
  private constructor(
    private readonly dataDir: string,
    private readonly file: number,
    private readonly unlock: () => void,
  ) {}

  /** Opens or creates the journal, restores the stored state and replays the later entries, in order. Throws DriverError when another process has it open. */
  static async open(dataDir: string, owner: JournaledState): Promise<JournalFile> {
    const path = journalPath(dataDir);
    mkdirSync(join(dataDir, 'fake-cloud'), { recursive: true, mode: 0o700 });
    const unlock = lockDirectory(join(dataDir, 'fake-cloud', 'lock'));
    const file = openSync(path, 'a+', 0o600);
    try {
      const stored = readState(dataDir);
      const known = stored && endsWith(file, stored) ? stored : undefined;
      if (known) owner.restore(known);
      const start = known?.bytes ?? 0;
      let complete = start;
      for await (const { line, entry } of completeLines(path, start)) {
        complete += Buffer.byteLength(line) + 1;
        owner.replay(entry);
      }
      const { size } = fstatSync(file);
      if (complete > size) writeSync(file, '\n');
      else ftruncateSync(file, complete);
      const journal = new JournalFile(dataDir, file, unlock);
      if (complete - start > MUCH_BYTES) journal.store(owner.current());
      return journal;
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

  /** Stores the state after the last entry, and closes the file. */
  close(state?: CloudState): void {
    try {
      this.store(state);
    } finally {
      closeSync(this.file);
      this.unlock();
    }
  }

  private store(state: CloudState | undefined): void {
    if (state) writeState(this.dataDir, { ...state, bytes: fstatSync(this.file).size });
  }
}

/** Reads the entries of a journal in order, also while it is being written. */
export async function* readJournal(path: string): AsyncGenerator<JournalEntry> {
  for await (const { entry } of completeLines(path)) yield entry;
}

/** Returns whether the journal has the last entry of the state where the state says. */
function endsWith(file: number, { bytes, seq, at }: StoredState): boolean {
  if (fstatSync(file).size < bytes) return false;
  for (let length = 4096; ; length *= 4) {
    const part = Buffer.alloc(Math.min(length, bytes));
    readSync(file, part, 0, part.length, bytes - part.length);
    if (part.at(-1) !== NEW_LINE) return false;
    const before = part.lastIndexOf(NEW_LINE, -2);
    if (before < 0 && part.length < bytes) continue;
    const entry = parseLine(part.toString('utf8', before + 1));
    return entry?.seq === seq && entry.at === at;
  }
}

async function* completeLines(
  path: string,
  start = 0,
): AsyncGenerator<{ readonly line: string; readonly entry: JournalEntry }> {
  for await (const line of createInterface({ input: createReadStream(path, { start }), crlfDelay: Infinity })) {
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
