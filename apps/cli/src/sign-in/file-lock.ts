import { closeSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';

/** A lock that is older was left by a process that has ended: what it protects takes seconds. */
const STALE_MS = 60_000;
const LOOK_MS = 50;

const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown }).code;

function taken(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx', 0o600));
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function isStale(path: string): boolean {
  try {
    return Date.now() - statSync(path).mtimeMs > STALE_MS;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Does something while no other process of this user does the same. */
export async function locked<T>(path: string, work: () => Promise<T>): Promise<T> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  while (!taken(path))
    if (isStale(path)) rmSync(path, { force: true });
    else await setTimeout(LOOK_MS);
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}
