import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve, sep } from 'node:path';
import { findSource, type DriverSource } from './driver-source.js';
import { packageName, adjustFiles, registerDriver, type DriverTarget } from './adjust-files.js';
import { linkPackages, usedPackages } from './used-packages.js';

interface NewDriverOptions {
  /** A lower-case letter, followed by lower-case letters, digits, `_` and `-`. */
  readonly name: string;
  /** The root folder of the Stave repository. */
  readonly root: string;
  /** The driver to fork: `fake`, `fake@1.0.0` or a directory. Default: the template, a driver that works in memory. */
  readonly from?: string | undefined;
  /** The folder in which the directory of the driver is created; default: that of a source outside of Stave, else Stave's `libs/drivers`. */
  readonly parent?: string | undefined;
  /** Default `1.0.0`. A fork that keeps the name of its source needs another version than its source. */
  readonly version?: string | undefined;
}

interface NewDriver {
  readonly directory: string;
  /** The files of Stave that were changed. */
  readonly registered: readonly string[];
  /** The directory of the older version of the same driver. */
  readonly older?: string;
}

/** Explains why no driver was created; no file was changed. */
export class ScaffoldError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ScaffoldError';
  }
}

/** Creates a driver directory that compiles, loads and conforms to the contract. Throws ScaffoldError. */
export async function newDriver(options: NewDriverOptions): Promise<NewDriver> {
  const { name, root, from, version = '1.0.0' } = options;
  const rule = 'use a lower-case letter, followed by lower-case letters, digits, _ and -';
  if (!/^[a-z][a-z0-9_-]{0,62}$/.test(name)) throw new ScaffoldError(`${name} is not a valid name: ${rule}`);
  const own = join(root, 'libs/drivers');
  const source = await findSource(own, from);
  if (!source)
    throw new ScaffoldError(
      `the driver ${from} does not exist: name a driver in libs/drivers, or the directory of another one (../acme-cloud)`,
    );
  if (source.manifest?.name === name && source.manifest.version === version)
    throw new ScaffoldError(`${name}@${version} is the driver to fork: choose another name or version`);
  const folder = folderName(name, version, source);
  const isOwn = source.directory.startsWith(own + sep);
  const directory = resolve(options.parent ?? (isOwn ? own : dirname(source.directory)), folder);
  if (existsSync(directory) && (await readdir(directory)).length > 0)
    throw new ScaffoldError(`${directory} exists and is not empty: choose another name or folder`);
  const inside = dirname(directory) === resolve(own);
  const target: DriverTarget = { name, version, folder, directory, root, inside };
  await copy(source, target);
  const packages = inside ? [] : await usedPackages(source, root);
  const rewritten = await adjustFiles(target, source, packages);
  if (!inside) {
    await linkPackages(directory, root, packages);
    await writeFile(join(directory, '.gitignore'), 'node_modules/\ndist/\n');
  }
  const registered = inside ? await registerDriver(root, folder) : [];
  // the author of a driver outside of Stave may have another style: only what was written here is formatted
  const written = isOwn ? [directory] : rewritten;
  format(root, [...written, ...registered.map(file => join(root, file))]);
  const older = source.manifest?.name === name ? source.directory : undefined;
  return { directory, registered, ...(older !== undefined && !inside && { older }) };
}

/** Converts `swarm_docker` to `swarm-docker`; a new major version of a driver is created beside it as `swarm-docker_v2`. */
function folderName(name: string, version: string, source: DriverSource): string {
  const folder = name.replaceAll('_', '-');
  return source.manifest?.name === name ? `${folder}_v${version.split('.')[0]}` : folder;
}

async function copy(source: DriverSource, { directory, folder, name, inside }: DriverTarget): Promise<void> {
  const replaced: readonly (readonly [string, string])[] = source.packageName
    ? [[source.packageName, packageName(folder, inside)]]
    : [
        ['__NAME__', name],
        ['__DIRECTORY__', folder],
      ];
  for (const file of source.files) {
    const copied = join(directory, file.replace(/\.template$/, ''));
    await mkdir(dirname(copied), { recursive: true });
    await copyFile(join(source.directory, file), copied); // keeps the mode of the file
    if (!/\.(ts|js|json|md|template)$/.test(file)) continue;
    const text = await readFile(copied, 'utf8');
    const changed = replaced.reduce((partly, [from, to]) => partly.replaceAll(from, to), text);
    await writeFile(copied, changed);
  }
}

function format(root: string, paths: readonly string[]): void {
  const prettier = join(dirname(createRequire(join(root, 'package.json')).resolve('prettier/package.json')), 'bin');
  const config = ['--config', join(root, '.prettierrc.json'), '--log-level', 'warn'];
  const args = [join(prettier, 'prettier.cjs'), '--write', ...config, ...paths];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new ScaffoldError(`the new files could not be formatted: ${stderr}`);
}
