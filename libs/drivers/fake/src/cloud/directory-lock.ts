import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { platform } from 'node:process';
import { DriverError } from '@stave/driver-sdk';
import { hasCode } from '../error-code.js';

/** O_EXLOCK of macOS: open(2) locks the file. */
const OPEN_LOCKED = 0x20;

/**
 * Locks a journal for this process, because two processes would assign the same ids. The kernel holds the lock for the open file, so it is
 * seen from other containers and ends with the process; docs/adr/0027 says how. Returns the function that releases the lock. Throws
 * DriverError `conflict`.
 */
export function lockDirectory(path: string): () => void {
  const file = open(path);
  const { status } =
    platform === 'darwin'
      ? { status: 0 }
      : spawnSync('flock', ['-x', '-n', '3'], { stdio: ['ignore', 'ignore', 'ignore', file] });
  if (status === 0) return () => closeSync(file);
  closeSync(file);
  if (status === null)
    throw new DriverError('conflict', 'the fake cloud cannot be locked: the program flock is missing');
  throw inUse();
}

function open(path: string): number {
  if (platform !== 'darwin') return openSync(path, 'a+', 0o600);
  try {
    return openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NONBLOCK | OPEN_LOCKED, 0o600);
  } catch (error) {
    if (hasCode(error, 'EAGAIN')) throw inUse();
    throw error;
  }
}

const inUse = (): DriverError =>
  new DriverError('conflict', 'another process has this fake cloud open: set FAKE_CLOUD_URL to share one');
