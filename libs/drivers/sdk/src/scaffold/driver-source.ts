import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { DriverManifest } from '../driver.js';
import { loadManifest, MANIFEST_FILE } from '../manifest/load-manifest.js';

/** The template or the driver that a new driver is copied from. */
export interface DriverSource {
  readonly directory: string;
  /** Relative paths, without built and installed files. */
  readonly files: readonly string[];
  /** Absent for the template. */
  readonly manifest?: DriverManifest;
  /** The name in package.json, where there is one. */
  readonly packageName?: string | undefined;
}

const excluded = new Set(['dist', 'node_modules', '.nx', 'coverage']);

/** Finds the template, or a driver by name, name and version, or directory. Returns undefined when it does not exist. */
export async function findSource(drivers: string, from?: string): Promise<DriverSource | undefined> {
  if (from === undefined) {
    const directory = join(drivers, 'sdk', 'scaffold');
    return { directory, files: await filesIn(directory) };
  }
  const directory = (await namedDirectory(drivers, from)) ?? resolve(from);
  if (!existsSync(join(directory, MANIFEST_FILE))) return undefined;
  const packageName = await nameOfPackage(directory);
  return { directory, files: await filesIn(directory), manifest: await loadManifest(directory), packageName };
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
  const entries = await readdir(join(directory, inside), { withFileTypes: true });
  const found = entries.map(async entry => {
    const path = join(inside, entry.name);
    if (entry.isDirectory()) return excluded.has(entry.name) ? [] : filesIn(directory, path);
    return entry.isFile() ? [path] : [];
  });
  return (await Promise.all(found)).flat();
}
