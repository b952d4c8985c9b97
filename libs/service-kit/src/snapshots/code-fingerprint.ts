import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

const kit = join(__dirname, '..');

/** Names the code with which these services compute states from events. Snapshots of other code are not used. */
export function foldingCode(services: readonly string[]): string {
  const parts = ['libs/domain', 'libs/platform', 'libs/service-kit', ...services.map(service => `apps/${service}`)];
  // compiled or not, as this file is
  return codeFingerprint(parts.map(part => join(kit, '..', '..', '..', part, basename(kit))));
}

/** Names what is compiled into these directories, by size and time of every file: whatever is built again has another fingerprint. */
export function codeFingerprint(directories: readonly string[]): string {
  const hash = createHash('sha256').update(process.version);
  for (const directory of directories) {
    const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
    for (const name of names.filter(isCode).sort()) {
      const { size, mtimeMs } = statSync(join(directory, name));
      hash.update(`${name}\0${size}\0${mtimeMs}\0`);
    }
  }
  return hash.digest('hex');
}

const isCode = (name: string): boolean => /\.[jt]s$/.test(name) && !/\.(spec|contract|fixture|d)\.[jt]s$/.test(name);
