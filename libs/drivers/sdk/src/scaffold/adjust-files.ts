import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { MANIFEST_FILE } from '../manifest/load-manifest.js';
import type { DriverSource } from './driver-source.js';
import { dependenciesOn } from './used-packages.js';

/** The name, version and place of a new driver. */
export interface DriverTarget {
  readonly name: string;
  readonly version: string;
  /** The last segment of `directory`. */
  readonly folder: string;
  readonly directory: string;
  readonly root: string;
  /** Whether the driver is one of Stave's own, in `libs/drivers`. */
  readonly inside: boolean;
}

/** Returns the package name: in Stave's scope for one of Stave's own drivers. */
export function packageName(folder: string, inside: boolean): string {
  return `${inside ? '@stave/' : 'stave-'}driver-${folder.replaceAll('_', '-')}`;
}

type Json = { readonly [key: string]: unknown };

type References = readonly { readonly path: string }[] | undefined;

/**
 * Adjusts the copied files to the new name, version and place, and returns the paths of those. `packages`: those of Stave that a driver
 * outside of it uses.
 */
export async function adjustFiles(
  target: DriverTarget,
  source: DriverSource,
  packages: readonly string[],
): Promise<readonly string[]> {
  const { name, version, folder, directory, root, inside } = target;
  const sdk = 'libs/drivers/sdk';
  /** Returns the projects of Stave that a driver is built on, by their paths in the repository. */
  const referencesOf = ({ manifest, directory: original }: DriverSource, references: unknown): readonly string[] =>
    manifest ? ((references as References) ?? []).map(each => relative(root, join(original, each.path))) : [sdk];
  const path = (to: string): string => relative(directory, join(root, to)).split(sep).join('/');
  await rewrite(directory, MANIFEST_FILE, manifest => ({ ...manifest, name, version, compatibleFrom: version }));
  await rewrite(directory, 'package.json', ({ nx, scripts, dependencies, ...rest }) => ({
    ...rest,
    name: packageName(folder, inside),
    ...(inside && { nx, scripts }),
    dependencies: inside
      ? { ...(typeof dependencies === 'object' ? dependencies : {}), '@stave/driver-sdk': '0.1.0' }
      : dependenciesOn(directory, root, packages),
  }));
  await rewrite(directory, 'tsconfig.json', ({ compilerOptions, references, ...rest }) => ({
    ...rest,
    extends: path('tsconfig.base.json'),
    compilerOptions: {
      ...(typeof compilerOptions === 'object' ? compilerOptions : {}),
      ...(!inside && { typeRoots: [path('node_modules/@types')] }),
    },
    references: referencesOf(source, references).map(each => ({ path: path(each) })),
  }));
  if (!inside) await rm(join(directory, 'jest.config.js'), { force: true });
  else if (source.manifest) await renameProject(join(directory, 'jest.config.js'), folder);
  return [MANIFEST_FILE, 'package.json', 'tsconfig.json'].map(file => join(directory, file)).filter(existsSync);
}

async function rewrite(directory: string, file: string, change: (content: Json) => Json): Promise<void> {
  const path = join(directory, file);
  if (!existsSync(path)) return;
  const content: Json = JSON.parse(await readFile(path, 'utf8'));
  await writeFile(path, `${JSON.stringify(change(content), null, 2)}\n`);
}

async function renameProject(path: string, folder: string): Promise<void> {
  if (!existsSync(path)) return;
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.replace(/displayName: '[^']*'/, `displayName: 'driver-${folder}'`));
}

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
