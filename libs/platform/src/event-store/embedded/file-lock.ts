import { readFileSync } from 'node:fs';
import { link, open, readFile, rename, unlink } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { pid } from 'node:process';

/** Another process has the file open. */
export class LogInUseError extends Error {
  constructor(
    readonly file: string,
    readonly holder: number,
  ) {
    super(`${file} is in use by process ${holder}`);
    this.name = 'LogInUseError';
  }
}

interface Holder {
  readonly pid: number;
  /** The start time of the process in clock ticks since boot, where the system provides it; pids are reused. */
  readonly started: string;
  readonly token: string;
}

/** The tokens of locks that this process holds. An earlier process may have had the same pid. */
const held = new Set<string>();

function statOf(process: number): { readonly state: string; readonly started: string } {
  try {
    const stat = readFileSync(`/proc/${process}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', started: fields[19] ?? '' };
  } catch {
    return { state: '', started: '' }; // no procfs, or no such process: the pid alone decides
  }
}

function isAlive(holder: Holder): boolean {
  if (held.has(holder.token)) return true;
  if (holder.pid === pid || !signalReaches(holder.pid)) return false;
  const { state, started } = statOf(holder.pid);
  // a zombie has ended and holds no file; only its parent has not collected it yet
  if (state === 'Z' || state === 'X') return false;
  return started === '' || holder.started === '' || started === holder.started;
}

function signalReaches(process: number): boolean {
  try {
    return globalThis.process.kill(process, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

/** Returns a function that ignores errors with this code and throws all others. */
const ignore = (code: string) => (error: unknown) => {
  if (codeOf(error) !== code) throw error;
};

async function read(path: string): Promise<Holder | undefined> {
  const text = await readFile(path, 'utf8').catch(ignore('ENOENT'));
  const [holder, started = '', token = ''] = text?.split(' ') ?? [];
  return token === '' ? undefined : { pid: Number(holder), started, token };
}

/** An exclusive lock by a file beside the log. A lock whose process has ended is taken over. */
export class FileLock {
  private constructor(
    private readonly path: string,
    private readonly token: string,
  ) {}

  /** Acquires the lock. Throws LogInUseError while a living process holds it. */
  static async acquire(file: string): Promise<FileLock> {
    const lock = new FileLock(`${file}.lock`, randomUUID());
    for (;;) {
      if (await lock.create()) return lock;
      const holder = await read(lock.path);
      if (holder && isAlive(holder)) throw new LogInUseError(file, holder.pid);
      await lock.removeStale(holder);
    }
  }

  async release(): Promise<void> {
    if ((await read(this.path))?.token === this.token) await unlink(this.path);
    held.delete(this.token);
  }

  /** Writes the lock under another name and links it, so that no process reads a partial lock. */
  private async create(): Promise<boolean> {
    const draft = `${this.path}.${this.token}`;
    const handle = await open(draft, 'wx');
    try {
      await handle.writeFile(`${pid} ${statOf(pid).started} ${this.token}`);
      const isLinked = await link(draft, this.path).then(() => true, ignore('EEXIST'));
      if (isLinked) held.add(this.token);
      return isLinked ?? false;
    } finally {
      await handle.close();
      await unlink(draft);
    }
  }

  /** Removes a stale lock by renaming it. When another process took the lock over meanwhile, its lock is restored. */
  private async removeStale(stale: Holder | undefined): Promise<void> {
    const aside = `${this.path}.stale.${this.token}`;
    const isMoved = await rename(this.path, aside).then(() => true, ignore('ENOENT'));
    if (!isMoved) return;
    const removed = await read(aside);
    if (removed && removed.token !== stale?.token) await link(aside, this.path);
    await unlink(aside);
  }
}
