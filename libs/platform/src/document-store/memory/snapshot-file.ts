import { createReadStream } from 'node:fs';
import { access, mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { StoredDocument } from '../document-store.port.js';

/** One document of a snapshot. */
export interface SnapshotRecord {
  readonly collection: string;
  readonly document: StoredDocument;
}

const FORMAT = 'stave-documents-1';
const LINES_PER_WRITE = 500;

/** Writes records as JSON lines between a head and a foot that counts them: to a temporary file, synced, then renamed. */
export async function writeSnapshot(file: string, records: Iterable<SnapshotRecord>): Promise<void> {
  const temporary = `${file}.tmp`;
  await mkdir(dirname(file), { recursive: true });
  const handle = await open(temporary, 'w');
  try {
    let lines = [JSON.stringify({ format: FORMAT })];
    let count = 0;
    for (const { collection, document } of records) {
      lines.push(JSON.stringify([collection, document]));
      count += 1;
      if (lines.length < LINES_PER_WRITE) continue;
      await handle.appendFile(`${lines.join('\n')}\n`);
      lines = [];
    }
    lines.push(JSON.stringify({ end: count }));
    await handle.appendFile(`${lines.join('\n')}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, file);
}

function isDocument(value: unknown): value is StoredDocument {
  return typeof value === 'object' && value !== null && '_id' in value && typeof value._id === 'string';
}

function recordOf(line: unknown): SnapshotRecord | undefined {
  if (!Array.isArray(line)) return undefined;
  const [collection, document]: readonly unknown[] = line;
  return typeof collection === 'string' && isDocument(document) ? { collection, document } : undefined;
}

function isFoot(line: unknown, count: number): boolean {
  return typeof line === 'object' && line !== null && 'end' in line && line.end === count;
}

/** Reads what `writeSnapshot` wrote; nothing when there is no file. Throws when it is cut off or not a snapshot. */
export async function readSnapshot(file: string): Promise<readonly SnapshotRecord[]> {
  if (!(await exists(file))) return [];
  const records: SnapshotRecord[] = [];
  let head = true;
  let whole = false;
  for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    const line: unknown = JSON.parse(text);
    if (head) assertHead(line);
    else if (isFoot(line, records.length)) whole = true;
    else records.push(assertRecord(recordOf(line)));
    head = false;
  }
  if (!whole) throw new Error('the snapshot ends early');
  return records;
}

function assertHead(line: unknown): void {
  const known = typeof line === 'object' && line !== null && 'format' in line && line.format === FORMAT;
  if (!known) throw new Error(`not a snapshot of format ${FORMAT}`);
}

function assertRecord(record: SnapshotRecord | undefined): SnapshotRecord {
  if (record === undefined) throw new Error('the snapshot holds a line that is no document');
  return record;
}

async function exists(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch (cause) {
    if (typeof cause === 'object' && cause !== null && 'code' in cause && cause.code === 'ENOENT') return false;
    throw cause;
  }
}
