import { spawnSync } from 'node:child_process';
import { constants, readFileSync } from 'node:fs';
import { open, readFile, rm, stat, statfs, type FileHandle } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { pid, platform } from 'node:process';
import { errorCode } from '../../../error-code.js';

/** Another process has the file open, or it cannot be ruled out. */
export class LogInUseError extends Error {
  override readonly name = 'LogInUseError';

  constructor(
    readonly file: string,
    reason: string,
  ) {
    super(`${file} ${reason}`);
  }
}

interface Holder {
  readonly pid: number;
  readonly host: string;
  /** Identifies the running kernel, which is shared by all containers of a machine; empty where the system has none. */
  readonly boot: string;
  readonly since: string;
}

/** O_EXLOCK of macOS and the BSDs: open(2) locks the file. */
const OPEN_LOCKED = 0x20;
const OPENS_LOCKED: ReadonlySet<string> = new Set(['darwin', 'freebsd', 'openbsd']);
/** `flock -n` ends with this code when another process has the lock. */
const IS_LOCKED = 1;

/**
 * File systems (statfs types) that one kernel has for itself: ext, XFS, Btrfs, tmpfs, overlay, ZFS, F2FS, bcachefs. On
 * others, such as NFS, SMB and those in user space, a lock may be unknown to the kernel of another machine.
 */
const OF_ONE_KERNEL: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0x2fc12fc1, 0xf2f52010, 0xca451a4e,
]);

/**
 * The exclusive lock of a file for the life of this process: an flock(2) on the file itself. The kernel holds it for the open file
 * and not for a process id, so it is seen from every container, and it ends with the process. Node.js cannot call flock; the
 * program `flock` of util-linux or BusyBox locks the open file that it inherits, and ends. While the lock is held, `<file>.lock`
 * says who holds it.
 */
export class FileLock {
  private constructor(
    private readonly handle: FileHandle,
    private readonly record: string,
  ) {}

  /** Acquires the lock and creates the file when it is missing. Throws LogInUseError; the file is then unchanged. */
  static async acquire(file: string): Promise<FileLock> {
    const record = `${file}.lock`;
    const handle = await openLocked(file, record);
    try {
      await refuseOtherKernel(file, record);
      await writeHolder(record);
      return new FileLock(handle, record);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async release(): Promise<void> {
    await rm(this.record, { force: true });
    await this.handle.close();
  }
}

/** Opens the file, locks it, and opens it again when it was replaced meanwhile. */
async function openLocked(file: string, record: string): Promise<FileHandle> {
  for (;;) {
    const handle = OPENS_LOCKED.has(platform) ? await openWithLock(file, record) : await open(file, 'a+', 0o600);
    try {
      if (!OPENS_LOCKED.has(platform)) await lock(handle, file, record);
      const [mine, there] = [await handle.stat(), await stat(file).catch(() => undefined)];
      if (mine.ino === there?.ino && mine.dev === there.dev) return handle;
      await handle.close();
    } catch (error) {
      await handle.close();
      throw error;
    }
  }
}

async function openWithLock(file: string, record: string): Promise<FileHandle> {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NONBLOCK | OPEN_LOCKED;
  try {
    return await open(file, flags, 0o600);
  } catch (error) {
    if (errorCode(error) === 'EAGAIN') throw await inUse(file, record);
    throw error;
  }
}

async function lock(handle: FileHandle, file: string, record: string): Promise<void> {
  const { status, error, stderr } = spawnSync('flock', ['-x', '-n', '3'], {
    stdio: ['ignore', 'ignore', 'pipe', handle.fd],
    encoding: 'utf8',
  });
  if (status === 0) return;
  if (status === IS_LOCKED) throw await inUse(file, record);
  const reason = error ? error.message : stderr.trim();
  throw new LogInUseError(
    file,
    `cannot be locked, so it is not certain that no other process has it open: the program flock (util-linux) failed: ${reason}`,
  );
}

async function inUse(file: string, record: string): Promise<LogInUseError> {
  const holder = await read(record).catch(() => undefined);
  return new LogInUseError(file, `is in use by ${holder ? text(holder) : 'another process'}`);
}

const text = ({ pid: id, host, since }: Holder): string => `process ${id} on ${host}, which opened it at ${since}`;

/**
 * The lock was granted, so no process of this kernel has the file open. A holder of another kernel that did not release it has
 * ended when the file system is not shared between machines: this machine was restarted.
 */
async function refuseOtherKernel(file: string, record: string): Promise<void> {
  const holder = await read(record);
  if (!holder || holder.boot === bootId()) return;
  const { type } = await statfs(dirname(file));
  if (OF_ONE_KERNEL.has(type)) return;
  throw new LogInUseError(
    file,
    `was not closed by ${text(holder)}, and it is on a file system that machines may share (type 0x${type.toString(16)}): ` +
      `when you are certain that this process has ended, delete ${record} and start again`,
  );
}

/** Returns undefined without a holder; the first write of one may have been lost with the power. */
async function read(record: string): Promise<Holder | undefined> {
  const content = await readFile(record, 'latin1').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  });
  if (content.replaceAll('\0', '') === '') return undefined;
  try {
    return JSON.parse(content);
  } catch {
    throw new LogInUseError(
      record,
      'does not say who has the log open; it may be of an earlier release: when you are certain that no process has it open, delete this file',
    );
  }
}

async function writeHolder(record: string): Promise<void> {
  const holder: Holder = { pid, host: hostname(), boot: bootId(), since: new Date().toISOString() };
  const handle = await open(record, 'w', 0o600);
  try {
    await handle.writeFile(JSON.stringify(holder));
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}
