import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Names what is compiled into these directories: another text, another fingerprint. */
export function codeFingerprint(directories: readonly string[]): string {
  const hash = createHash('sha256').update(process.version);
  for (const directory of directories) {
    const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
    for (const name of names.filter(isCode).sort()) hash.update(name).update(readFileSync(join(directory, name)));
  }
  return hash.digest('hex');
}

const isCode = (name: string): boolean => /\.[jt]s$/.test(name) && !/\.(spec|contract|fixture|d)\.[jt]s$/.test(name);
