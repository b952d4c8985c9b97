import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { MANIFEST_FILE } from '../manifest/load-manifest.js';

/**
 * Returns the driver directories that one entry of the search path names: the directory itself, its subdirectories, or the directory
 * of an npm package. Empty when there is none.
 */
export function driverDirectories(entry: string, base: string): string[] {
  const path = resolve(base, entry);
  if (!existsSync(path)) return packageDirectory(entry, base);
  if (isDriver(path)) return [realpathSync(path)];
  const entries = readdirSync(path).sort();
  const children = entries.map(name => join(path, name));
  return children.filter(isDriver).map(child => realpathSync(child));
}

function isDriver(path: string): boolean {
  return existsSync(join(path, MANIFEST_FILE));
}

function packageDirectory(name: string, base: string): string[] {
  const requireFrom = createRequire(join(base, 'package.json'));
  for (const file of [MANIFEST_FILE, 'package.json']) {
    try {
      const directory = dirname(requireFrom.resolve(`${name}/${file}`));
      if (isDriver(directory)) return [realpathSync(directory)];
    } catch {
      // the package exports only one of the two files, or does not exist: the caller reports an entry without directories
    }
  }
  return [];
}
