import { satisfies } from 'semver';
import type { DriverLogger, DriverManifest, DriverModule } from '../driver.js';
import { SDK_VERSION } from '../manifest/compatibility.js';
import { loadManifest } from '../manifest/load-manifest.js';
import { messageOf } from '../manifest/message-of.js';
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
export async function loadDrivers(options: LoadDriversOptions): Promise<{
  readonly drivers: readonly LoadedDriver[];
  readonly refused: readonly RefusedDriver[];
}> {
  const { enabled = [], base = process.cwd(), log } = options;
  const drivers: LoadedDriver[] = [];
  const refused: RefusedDriver[] = [];
  const refuse = (directory: string, reason: string): void => void refused.push({ directory, reason });
  const seen = new Set<string>();
  for (const entry of options.directories) {
    const directories = driverDirectories(entry, base);
    if (directories.length === 0)
      refuse(entry, 'the search path entry is neither a driver directory nor an installed package');
    for (const directory of directories) {
      if (seen.has(directory)) continue;
      seen.add(directory);
      try {
        const manifest = await loadManifest(directory);
        if (enabled.length > 0 && !names(manifest).some(name => enabled.includes(name))) continue;
        const reason = refusal(manifest, directory, drivers);
        if (reason === undefined) drivers.push({ manifest, module: loadDriverModule(directory), directory });
        else refuse(directory, reason);
      } catch (cause) {
        refuse(directory, messageOf(cause));
      }
    }
  }
  for (const name of enabled)
    if (!drivers.some(driver => names(driver.manifest).includes(name)))
      refuse(name, `driver "${name}" is enabled but no directory of the search path contains it`);
  for (const { directory, reason } of refused) log.error({ directory, reason }, 'a driver was refused');
  return { drivers, refused };
}

function refusal(manifest: DriverManifest, directory: string, drivers: readonly LoadedDriver[]): string | undefined {
  const name = `${manifest.name}@${manifest.version}`;
  if (!satisfies(SDK_VERSION, manifest.sdk))
    return `${name} requires SDK ${manifest.sdk}, but this is SDK ${SDK_VERSION}`;
  const duplicate = drivers.find(other => names(other.manifest).includes(name));
  return duplicate ? `${name} exists in ${duplicate.directory} and in ${directory}: remove one` : undefined;
}

function names(manifest: DriverManifest): string[] {
  return [manifest.name, `${manifest.name}@${manifest.version}`];
}
