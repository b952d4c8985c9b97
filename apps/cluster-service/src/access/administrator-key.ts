import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { appendFile, link, mkdir, open, rename, unlink, writeFile, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from '@stave/platform';
import { hashOf, newSecret } from './secrets.js';

/**
 * Returns the first administrator's key: read from the file, or created and written there, readable by its owner only, before it is
 * returned. Of several processes that find no file one creates the key, and all return it. Rejects for an empty file,
 * a weak key, a key that was rotated out, and a file that another user wrote or can read.
 */
export async function administratorKey(file: string): Promise<string> {
  const present = await keyIn(file);
  if (present !== undefined) {
    if ((await formerKeyHashes(file)).includes(hashOf(present)))
      throw new Error(`the key in ${file} was rotated out: rotate it again`);
    return present;
  }
  await mkdir(dirname(file), { recursive: true });
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, `${newSecret().text}\n`, { mode: 0o600, flag: 'wx' });
  try {
    await link(draft, file); // never replaces what another process made meanwhile
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  } finally {
    await unlink(draft);
  }
  const made = await keyIn(file);
  if (made === undefined) throw new Error(`${file} was removed while it was made`);
  return made;
}

/** Reads the key. Returns undefined where there is no file. Rejects for a file that others may have written or can read, and for a weak key. */
async function keyIn(file: string): Promise<string | undefined> {
  const text = await ownText(file);
  const key = text?.trim();
  if (key === '') throw new Error(`${file} is empty: remove it, or put a key there`);
  if (key !== undefined && !isStrong(key))
    throw new Error(
      `${file} has a weak key: it must be ${MIN_LENGTH} characters or longer, without spaces, and random`,
    );
  return key;
}

const MIN_LENGTH = 32;
const MIN_DIFFERENT = 12;
const isStrong = (key: string): boolean =>
  /^[\x21-\x7e]+$/.test(key) && key.length >= MIN_LENGTH && new Set(key).size >= MIN_DIFFERENT;

/** Reads a file that only this user can read or write. Returns undefined where there is none. */
async function ownText(file: string): Promise<string | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    if (errorCode(error) === 'ELOOP') throw new Error(`${file} is a symbolic link: put the file itself there`);
    throw error;
  }
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new Error(`${file} is not a file`);
    if (stats.uid !== process.getuid?.()) throw new Error(`${file} belongs to another user: change its owner`);
    if ((stats.mode & 0o077) !== 0) throw new Error(`${file} is open to other users: chmod 600 ${file}`);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

/** The hashes of former keys, one in each line, which the next start revokes. */
const formerFile = (file: string): string => `${file}.former`;

/** Returns the hashes of the keys that were rotated out of the file. */
export async function formerKeyHashes(file: string): Promise<readonly string[]> {
  return ((await ownText(formerFile(file))) ?? '').split('\n').filter(line => /^[0-9a-f]{64}$/.test(line));
}

/**
 * Replaces the key in the file by a new one. The next start of cluster-service registers the new key and revokes the former ones. After
 * a crash in between, the start is refused until the key is rotated again. Rejects where there is no key.
 */
export async function rotateAdministratorKey(file: string): Promise<void> {
  const present = await keyIn(file);
  if (present === undefined) throw new Error(`${file} does not exist: the first start creates it`);
  await appendFile(formerFile(file), `${hashOf(present)}\n`, { mode: 0o600, flush: true });
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, `${newSecret().text}\n`, { mode: 0o600, flag: 'wx', flush: true });
  await rename(draft, file);
}
