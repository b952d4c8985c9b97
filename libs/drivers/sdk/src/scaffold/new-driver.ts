import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { findSource, type DriverSource } from './driver-source.js';
import { registerDriver } from './register-driver.js';
import { packageName, settle, type Placement } from './settle-files.js';

export interface NewDriverOptions {
  /** As in the manifest: a small letter, then small letters, digits, `_` and `-`. */
  readonly name: string;
  /** Stave's top folder. */
  readonly root: string;
  /** `fake`, `fake@1.0.0` or a driver's directory to fork; absent: a driver in memory to begin with. */
  readonly from?: string;
  /** The folder that the driver's directory is made in; default Stave's own `libs/drivers`. */
  readonly parent?: string;
  /** Default `1.0.0`. A fork under the name of its source needs another one than that. */
  readonly version?: string;
}

export interface NewDriver {
  readonly directory: string;
  /** Files of Stave that were changed. */
  readonly registered: readonly string[];
}

/** Says why no driver is made; nothing was changed. */
export class ScaffoldError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ScaffoldError';
  }
}

/** Makes a driver directory that compiles, loads and keeps the contract. Throws ScaffoldError. */
export async function newDriver(options: NewDriverOptions): Promise<NewDriver> {
  const { name, root, from, version = '1.0.0' } = options;
  if (!/^[a-z][a-z0-9_-]{0,62}$/.test(name))
    throw new ScaffoldError(`a driver's name is a small letter, then small letters, digits, _ and -: not ${name}`);
  const source = await findSource(join(root, 'libs/drivers'), from);
  if (!source) throw new ScaffoldError(`there is no driver ${from} to begin with`);
  if (source.manifest?.name === name && source.manifest.version === version)
    throw new ScaffoldError(`${name}@${version} is what it would be forked from: give another name or version`);
  const own = join(root, 'libs/drivers');
  const folder = folderName(name, version, source);
  const directory = resolve(options.parent ?? own, folder);
  if (existsSync(directory) && (await readdir(directory)).length > 0)
    throw new ScaffoldError(`${directory} is there already`);
  const inside = dirname(directory) === resolve(own);
  const placement: Placement = { name, version, folder, directory, root, inside };
  await copy(source, placement);
  await settle(placement, source);
  if (!inside) await linkSdk(placement);
  const registered = inside ? await registerDriver(root, folder) : [];
  format(root, [directory, ...registered.map(file => join(root, file))]);
  return { directory, registered };
}

/** `swarm_docker` → `swarm-docker`; a further major version of the same driver stands beside it as `swarm-docker_v2`. */
function folderName(name: string, version: string, source: DriverSource): string {
  const folder = name.replaceAll('_', '-');
  return source.manifest?.name === name ? `${folder}_v${version.split('.')[0]}` : folder;
}

async function copy(source: DriverSource, { directory, folder, name, inside }: Placement): Promise<void> {
  const replaced: readonly (readonly [string, string])[] = source.packageName
    ? [[source.packageName, packageName(folder, inside)]]
    : [
        ['__NAME__', name],
        ['__DIRECTORY__', folder],
      ];
  for (const file of source.files) {
    const target = join(directory, file.replace(/\.template$/, ''));
    await mkdir(dirname(target), { recursive: true });
    await copyFile(join(source.directory, file), target); // keeps its mode
    if (!/\.(ts|js|json|md|template)$/.test(file)) continue;
    const text = await readFile(target, 'utf8');
    await writeFile(
      target,
      replaced.reduce((so, [from, to]) => so.replaceAll(from, to), text),
    );
  }
}

function format(root: string, paths: readonly string[]): void {
  const prettier = join(dirname(createRequire(join(root, 'package.json')).resolve('prettier/package.json')), 'bin');
  const config = ['--config', join(root, '.prettierrc.json'), '--log-level', 'warn'];
  const args = [join(prettier, 'prettier.cjs'), '--write', ...config, ...paths];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new ScaffoldError(`the new files could not be formatted: ${stderr}`);
}

/** A driver outside finds this SDK, and its types, in its own node_modules. */
async function linkSdk({ directory, root }: Placement): Promise<void> {
  const scope = join(directory, 'node_modules', '@stave');
  await mkdir(scope, { recursive: true });
  await symlink(relative(scope, join(root, 'libs/drivers/sdk')).split(sep).join('/'), join(scope, 'driver-sdk'), 'dir');
  await writeFile(join(directory, '.gitignore'), 'node_modules/\ndist/\n');
}
