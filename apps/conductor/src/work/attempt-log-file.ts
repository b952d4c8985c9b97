import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { errorCode } from '@stave/platform';
import { keptLine, type AttemptLog, type LeftAttempt } from './attempt-log.js';

const MOST_LINES = 10;
/** A larger file is replaced by one with the lines of the running attempts only. */
const MOST_BYTES = 1_048_576;
/** A file of another conductor whose process may still run is deleted after this time. */
const FORGOTTEN_AFTER_MS = 86_400_000;

type Begun = Omit<LeftAttempt, 'lines'>;
type Entry = { readonly key: string } & (
  { readonly begin: Begun; readonly line: string } | { readonly line: string } | { readonly end: true }
);

/**
 * The attempt log in a file of the data directory, one for each process and conductor. Every line is in the file when `write` returns, so
 * that it survives the death of the process, though not that of the machine.
 */
export class AttemptLogFile implements AttemptLog {
  private readonly running = new Map<string, { readonly begin: Begun; readonly lines: string[] }>();
  private readonly path: string;
  private file: number | undefined;
  private bytes = 0;
  private leftFiles: readonly string[] = [];

  private constructor(
    private readonly directory: string,
    private readonly conductor: string,
  ) {
    this.path = join(directory, `${conductor}.${process.pid}.${Date.now()}.jsonl`);
    process.on('uncaughtExceptionMonitor', this.onFatal);
    process.on('exit', this.onExit);
  }

  static open(dataDir: string, conductor: string): AttemptLogFile {
    const directory = join(dataDir, 'attempts');
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    return new AttemptLogFile(directory, conductor);
  }

  begin(
    key: string,
    { taskId, resource, attempt }: Pick<Begun, 'taskId' | 'resource' | 'attempt'>,
    text: string,
  ): void {
    const begin = { taskId, resource, attempt, conductor: this.conductor };
    const line = keptLine(text);
    this.running.set(key, { begin, lines: [line] });
    this.append({ key, begin, line });
  }

  write(key: string, text: string): void {
    const { lines } = this.running.get(key) ?? {};
    if (!lines) return;
    const line = keptLine(text);
    lines.push(line);
    if (lines.length > MOST_LINES) lines.shift();
    this.append({ key, line });
  }

  end(key: string): void {
    if (this.running.delete(key)) this.append({ key, end: true });
  }

  left(): readonly LeftAttempt[] {
    const files = readdirSync(this.directory).map(name => join(this.directory, name));
    this.leftFiles = files.filter(path => path !== this.path && this.isLeft(path));
    return this.leftFiles.flatMap(path => attemptsIn(readFileSync(path, 'utf8')));
  }

  forgetLeft(): void {
    for (const path of this.leftFiles) rmSync(path, { force: true });
    this.leftFiles = [];
  }

  close(): void {
    process.off('uncaughtExceptionMonitor', this.onFatal);
    process.off('exit', this.onExit);
    if (this.file === undefined) return;
    closeSync(this.file);
    this.file = undefined;
    if (this.running.size === 0) rmSync(this.path, { force: true });
  }

  /** Returns whether the process that wrote the file has ended: an id belongs to one process at a time. */
  private isLeft(path: string): boolean {
    const [, conductor, pid] = /^(.+)\.(\d+)\.\d+\.jsonl$/.exec(basename(path)) ?? [];
    if (conductor === undefined) return false;
    if (conductor === this.conductor) return Number(pid) !== process.pid || !this.isOfThisProcess(path);
    return !isRunning(Number(pid)) || Date.now() - statSync(path).mtimeMs > FORGOTTEN_AFTER_MS;
  }

  /** A process in a container often has the id of its predecessor. */
  private isOfThisProcess(path: string): boolean {
    const startedAt = Number(basename(path).split('.').at(-2));
    return startedAt >= Date.now() - process.uptime() * 1_000;
  }

  private readonly onFatal = (error: unknown): void => {
    const name = error instanceof Error ? error.name : typeof error;
    const [frame = ''] = error instanceof Error ? (error.stack?.match(/^\s+at .*$/m) ?? []) : [];
    this.writeAll(`the process ended by an uncaught ${name}${frame.replace(/\(?(?:file:\/\/)?\/.*\//, '(').trimEnd()}`);
  };

  private readonly onExit = (code: number): void => this.writeAll(`the process ended with code ${code}`);

  private writeAll(line: string): void {
    for (const key of [...this.running.keys()]) this.write(key, line);
  }

  private append(entry: Entry): void {
    this.file ??= openSync(this.path, 'a', 0o600);
    if (this.bytes > MOST_BYTES) this.compact(this.file);
    this.bytes += writeSync(this.file, `${JSON.stringify(entry)}\n`);
  }

  private compact(file: number): void {
    ftruncateSync(file);
    this.bytes = 0;
    for (const [key, { begin, lines }] of this.running) {
      const [line = '', ...more] = lines;
      const entries: readonly Entry[] = [{ key, begin, line }, ...more.map(later => ({ key, line: later }))];
      for (const entry of entries) this.bytes += writeSync(file, `${JSON.stringify(entry)}\n`);
    }
  }
}

/** Returns the attempts in a file that did not end, with their last lines. */
function attemptsIn(text: string): readonly LeftAttempt[] {
  const attempts = new Map<string, { readonly begin: Begun; readonly lines: string[] }>();
  for (const json of text.split('\n')) {
    const entry = entryOf(json);
    if (!entry) continue;
    if ('begin' in entry) attempts.set(entry.key, { begin: entry.begin, lines: [entry.line] });
    else if ('end' in entry) attempts.delete(entry.key);
    else attempts.get(entry.key)?.lines.push(entry.line);
  }
  return [...attempts.values()].map(({ begin, lines }) => ({ ...begin, lines: lines.slice(-MOST_LINES) }));
}

function entryOf(json: string): Entry | undefined {
  try {
    return JSON.parse(json) as Entry;
  } catch {
    // an incomplete line: the process was killed during the write
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
