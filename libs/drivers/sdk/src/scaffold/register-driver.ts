import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const AFTER = 'libs/drivers/sdk';

/** Adds one of Stave's own drivers to the build and the tests; returns the changed files. A repeated call changes nothing. */
export async function registerDriver(root: string, folder: string): Promise<readonly string[]> {
  const path = `libs/drivers/${folder}`;
  const changes: readonly [string, (line: string) => string][] = [
    ['tsconfig.json', text => text.replace(new RegExp(`(\\s*\\{\\s*"path": )"${AFTER}"(\\s*\\},)`), `$&$1"${path}"$2`)],
    ['jest.config.js', text => text.replace(new RegExp(`(\\s*'<rootDir>/)${AFTER}',`), `$&$1${path}',`)],
  ];
  const changed: string[] = [];
  for (const [file, add] of changes) {
    const text = await readFile(join(root, file), 'utf8');
    if (text.includes(`${path}"`) || text.includes(`${path}'`)) continue;
    await writeFile(join(root, file), add(text));
    changed.push(file);
  }
  return changed;
}
