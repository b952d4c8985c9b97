import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { DriverError } from '@stave/driver-sdk';

/**
 * Locks a journal for this process, because two processes would assign the same ids. The lock file contains the pid of its owner; the lock
 * of a process that has ended is taken over. Returns the function that releases the lock. Throws DriverError `conflict`.
 */
export function lockDirectory(path: string): () => void {
  const mine = String(process.pid);
  for (let attempt = 0; attempt < 3; attempt++) {
    if (write(path, mine)) return () => rmSync(path, { force: true });
    const owner = ownerOf(path);
    if (owner !== mine && isAlive(Number(owner)))
      throw new DriverError('conflict', `process ${owner} has this fake cloud open: set FAKE_CLOUD_URL to share one`);
    rmSync(path, { force: true });
  }
  throw new DriverError('conflict', 'another process is opening this fake cloud: try again');
}

function write(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** Returns an empty text when the lock was released in between. */
function ownerOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return '';
    throw error;
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

const hasCode = (error: unknown, code: string): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === code;
