import type { DriverLogger, DriverManifest, DriverModule } from '../driver.js';
import { acceptsSdk } from '../manifest/compatibility.js';
import { loadManifest } from '../manifest/load-manifest.js';
import { SDK_VERSION } from '../sdk-version.js';
import { driverDirectories } from './driver-directories.js';
import { loadDriverModule } from './driver-module.js';

/** A driver that passed all checks. */
export interface LoadedDriver {
  readonly manifest: DriverManifest;
  readonly module: DriverModule;
  readonly directory: string;
}

interface RefusedDriver {
  readonly directory: string;
  readonly reason: string;
}

interface LoadedDrivers {
  readonly drivers: readonly LoadedDriver[];
  readonly refused: readonly RefusedDriver[];
}

interface LoadDriversOptions {
  /** Driver directories, directories of driver directories, or npm packages; relative paths are resolved from `base`. */
  readonly directories: readonly string[];
  /** Names (`fake`) or names with version (`fake@1.0.0`) of the drivers to load; all when absent or empty. */
  readonly enabled?: readonly string[];
  /** Default: the working directory. */
  readonly base?: string;
  readonly log: DriverLogger;
}

/**
 * Loads all drivers of a search path. An invalid driver is refused with a reason, which is also logged, and never causes an error. Several
 * versions of a driver are loaded side by side; a second directory with the same name and version is refused.
 */
export async function loadDrivers(options: LoadDriversOptions): Promise<LoadedDrivers> {
  const drivers: LoadedDriver[] = [];
  const refused: RefusedDriver[] = [];
  for (const { entry, found, directories } of searchPath(options)) {
    if (!found)
      refused.push({
        directory: entry,
        reason: 'the search path entry is neither a driver directory nor an installed package',
      });
    for (const directory of directories) await loadOne(directory, options, drivers, refused);
  }
  for (const name of options.enabled ?? []) {
    if (!drivers.some(driver => names(driver.manifest).includes(name))) {
      refused.push({
        directory: name,
        reason: `driver "${name}" is enabled but no directory of the search path contains it`,
      });
    }
  }
  for (const { directory, reason } of refused) options.log.error({ directory, reason }, 'a driver was refused');
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
  if (!acceptsSdk(manifest)) return `${name} requires SDK ${manifest.sdk}, but this is SDK ${SDK_VERSION}`;
  const duplicate = drivers.find(other => names(other.manifest).includes(name));
  return duplicate ? `${name} exists in ${duplicate.directory} and in ${directory}: remove one` : undefined;
}

function isEnabled(manifest: DriverManifest, enabled: readonly string[] | undefined): boolean {
  if (enabled === undefined || enabled.length === 0) return true;
  return names(manifest).some(name => enabled.includes(name));
}

function names(manifest: DriverManifest): string[] {
  return [manifest.name, `${manifest.name}@${manifest.version}`];
}
