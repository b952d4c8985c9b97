import { existsSync, realpathSync } from 'node:fs';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import type { DriverSource } from './driver-source.js';

const sdk = '@stave/driver-sdk';

/** Returns the packages that the code of a driver imports and that Stave has installed, with the SDK and without the driver itself. */
export async function usedPackages({ directory, files, packageName }: DriverSource, root: string): Promise<string[]> {
  const found = new Set([sdk]);
  for (const file of files.filter(each => each.endsWith('.ts')))
    for (const [, specifier = ''] of (await readFile(join(directory, file), 'utf8')).matchAll(/ from '([^'.][^']*)'/g))
      if (!isBuiltin(specifier)) found.add(packageOf(specifier));
  return [...found].filter(name => name !== packageName && existsSync(installed(root, name))).sort();
}

/** Links packages of Stave into the node_modules of a driver outside of Stave. */
export async function linkPackages(directory: string, root: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const link = join(directory, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(slashes(relative(dirname(link), realpathSync(installed(root, name)))), link, 'dir');
  }
}

/** Returns the dependencies of package.json: each package by its directory in Stave. */
export function dependenciesOn(directory: string, root: string, names: readonly string[]): Record<string, string> {
  const path = (name: string): string => slashes(relative(directory, realpathSync(installed(root, name))));
  return Object.fromEntries(names.map(name => [name, `file:${path(name)}`]));
}

const installed = (root: string, name: string): string =>
  name === sdk ? join(root, 'libs/drivers/sdk') : join(root, 'node_modules', name);

const slashes = (path: string): string => path.split(sep).join('/');

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
