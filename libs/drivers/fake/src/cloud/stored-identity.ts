import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode } from '../error-code.js';

/** Returns the id that is stored with the data of the cloud, which gets one when it has none. To be called by the process that has it open. */
export function storedIdentity(dataDir: string): string {
  const path = join(dataDir, 'fake-cloud', 'identity');
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
  const identity = randomUUID();
  writeFileSync(path, `${identity}\n`, { mode: 0o600 });
  return identity;
}
