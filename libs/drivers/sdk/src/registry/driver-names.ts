import { loadManifest } from '../manifest/load-manifest.js';
import { driverDirectories } from './driver-directories.js';

/**
 * Returns the names of the drivers of a search path, in order, without running any of their code. Throws for a manifest that is not valid.
 */
export async function driverNames(directories: readonly string[], base = process.cwd()): Promise<readonly string[]> {
  const found = directories.flatMap(entry => driverDirectories(entry, base));
  const manifests = await Promise.all(found.map(directory => loadManifest(directory)));
  return [...new Set(manifests.map(({ name }) => name))].sort();
}
