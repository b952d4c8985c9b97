import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { newKey } from './api-keys.js';

/**
 * Returns the first administrator's key: read from the file, or created and written there, readable by its owner only, before it is
 * returned. Of several processes that find no file one creates the key, and all return it. Rejects for an empty file.
 */
export async function administratorKey(file: string): Promise<string> {
  const present = await keyIn(file);
  if (present !== undefined) return present;
  await mkdir(dirname(file), { recursive: true });
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, `${newKey()}\n`, { mode: 0o600, flag: 'wx' });
  try {
    await link(draft, file); // never replaces what another process made meanwhile
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  } finally {
    await unlink(draft);
  }
  const made = await keyIn(file);
  if (made === undefined) throw new Error(`${file} was removed while it was made`);
  return made;
}

async function keyIn(file: string): Promise<string | undefined> {
  try {
    const key = (await readFile(file, 'utf8')).trim();
    if (key === '') throw new Error(`${file} is empty: remove it, or put a key there`);
    return key;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
