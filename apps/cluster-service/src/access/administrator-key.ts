import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { newKey } from './access-keys.js';

/** The first administrator's key: read from the file, or made and written there (mode 0600) before anybody learns of it. */
export async function administratorKey(file: string): Promise<string> {
  try {
    const key = (await readFile(file, 'utf8')).trim();
    if (key !== '') return key;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const key = newKey();
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${key}\n`, { mode: 0o600 });
  return key;
}
