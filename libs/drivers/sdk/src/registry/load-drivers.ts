import type { DriverLogger, DriverManifest, DriverModule } from '../driver.js';
import { acceptsSdk } from '../manifest/compatibility.js';
import { loadManifest } from '../manifest/load-manifest.js';
import { SDK_VERSION } from '../sdk-version.js';
import { driverDirectories } from './driver-directories.js';
import { loadDriverModule } from './driver-module.js';

export interface LoadedDriver {
  readonly manifest: DriverManifest;
  readonly module: DriverModule;
  readonly directory: string;
}

export interface RefusedDriver {
  readonly directory: string;
  readonly reason: string;
}

export interface LoadedDrivers {
  readonly drivers: readonly LoadedDriver[];
  readonly refused: readonly RefusedDriver[];
}

export interface LoadDriversOptions {
  /** Driver directories, directories of driver directories, or npm package names; relative ones are resolved from `base`. */
  readonly directories: readonly string[];
  /** Names (`fake`) or names with version (`fake@1.0.0`); all when absent or empty. */
  readonly enabled?: readonly string[];
  /** Default: the working directory. */
  readonly base?: string;
  readonly log: DriverLogger;
}

/**
 * Loads all drivers of a search path. Never throws for a bad driver: what cannot be used is refused with the reason, which is
 * logged too. Several versions of a driver load side by side; a second directory with the same name and version is refused.
 */
export async function loadDrivers(options: LoadDriversOptions): Promise<LoadedDrivers> {
  const drivers: LoadedDriver[] = [];
  const refused: RefusedDriver[] = [];
  for (const { entry, found, directories } of searchPath(options)) {
    if (!found) refused.push({ directory: entry, reason: 'no driver directory and no installed package' });
    for (const directory of directories) await loadOne(directory, options, drivers, refused);
  }
  for (const name of options.enabled ?? []) {
    if (!drivers.some(driver => names(driver.manifest).includes(name))) {
      refused.push({ directory: name, reason: `driver "${name}" is enabled but was not loaded` });
    }
  }
  for (const { directory, reason } of refused) options.log.error({ directory, reason }, 'driver refused');
  return { drivers, refused };
}

function searchPath(options: LoadDriversOptions): { entry: string; found: boolean; directories: string[] }[] {
  const seen = new Set<string>();
  return options.directories.map(entry => {
    const all = driverDirectories(entry, options.base ?? process.cwd());
    const directories = all.filter(directory => !seen.has(directory));
    directories.forEach(directory => seen.add(directory));
    return { entry, found: all.length > 0, directories };
  });
}

async function loadOne(
  directory: string,
  options: LoadDriversOptions,
  drivers: LoadedDriver[],
  refused: RefusedDriver[],
): Promise<void> {
  try {
    const manifest = await loadManifest(directory);
    if (!isEnabled(manifest, options.enabled)) return;
    const reason = refusal(manifest, directory, drivers);
    if (reason !== undefined) refused.push({ directory, reason });
    else drivers.push({ manifest, module: loadDriverModule(directory), directory });
  } catch (cause) {
    refused.push({ directory, reason: cause instanceof Error ? cause.message : String(cause) });
  }
}

function refusal(manifest: DriverManifest, directory: string, drivers: readonly LoadedDriver[]): string | undefined {
  const name = `${manifest.name}@${manifest.version}`;
  if (!acceptsSdk(manifest)) return `${name} wants SDK ${manifest.sdk}, this is ${SDK_VERSION}`;
  const twin = drivers.find(other => names(other.manifest).includes(name));
  return twin ? `${name} is in ${twin.directory} and in ${directory}` : undefined;
}

function isEnabled(manifest: DriverManifest, enabled: readonly string[] | undefined): boolean {
  if (enabled === undefined || enabled.length === 0) return true;
  return names(manifest).some(name => enabled.includes(name));
}

function names(manifest: DriverManifest): string[] {
  return [manifest.name, `${manifest.name}@${manifest.version}`];
}
