import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { DriverManifest } from '../driver.js';
import { loadManifest, MANIFEST_FILE } from '../manifest/load-manifest.js';

/** What a new driver is made from. */
export interface DriverSource {
  readonly directory: string;
  /** Paths in it; what is built or installed is left out. */
  readonly files: readonly string[];
  /** Absent: it is the template. */
  readonly manifest?: DriverManifest;
  /** Of a driver that has one. */
  readonly packageName?: string;
}

const leftOut = new Set(['dist', 'node_modules', '.nx', 'coverage']);

/** The template, or the driver of that name, name and version, or directory; undefined when there is none. */
export async function findSource(drivers: string, from?: string): Promise<DriverSource | undefined> {
  if (from === undefined) {
    const directory = join(drivers, 'sdk', 'scaffold');
    return { directory, files: await filesIn(directory) };
  }
  const directory = (await namedDirectory(drivers, from)) ?? resolve(from);
  if (!existsSync(join(directory, MANIFEST_FILE))) return undefined;
  const named = await nameOfPackage(directory);
  const files = await filesIn(directory);
  return {
    directory,
    files,
    manifest: await loadManifest(directory),
    ...(named !== undefined && { packageName: named }),
  };
}

async function namedDirectory(drivers: string, from: string): Promise<string | undefined> {
  for (const entry of (await readdir(drivers)).sort()) {
    const directory = join(drivers, entry);
    if (!existsSync(join(directory, MANIFEST_FILE))) continue;
    const { name, version } = await loadManifest(directory);
    if (from === name || from === `${name}@${version}`) return directory;
  }
  return undefined;
}

async function nameOfPackage(directory: string): Promise<string | undefined> {
  const file = join(directory, 'package.json');
  if (!existsSync(file)) return undefined;
  const { name }: { name?: unknown } = JSON.parse(await readFile(file, 'utf8'));
  return typeof name === 'string' ? name : undefined;
}

async function filesIn(directory: string, inside = ''): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(join(directory, inside), { withFileTypes: true })) {
    const path = join(inside, entry.name);
    if (entry.isDirectory() && !leftOut.has(entry.name)) found.push(...(await filesIn(directory, path)));
    else if (entry.isFile()) found.push(path);
  }
  return found;
}
