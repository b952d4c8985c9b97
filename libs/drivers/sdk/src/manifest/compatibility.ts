import { compare, major, minor } from 'semver';
import type { DriverManifest } from '../driver.js';

/** The version of the driver contract, which must be in the range `sdk` of a manifest. */
export const SDK_VERSION = '1.0.0';

/** Returns the oldest recorded version whose clusters this driver operates; without `compatibleFrom`, the first of its minor line. */
export function compatibleFrom(manifest: Pick<DriverManifest, 'version' | 'compatibleFrom'>): string {
  return manifest.compatibleFrom ?? `${major(manifest.version)}.${minor(manifest.version)}.0`;
}

/** Returns whether this driver version operates a cluster that `recordedVersion` of the same driver built. */
export function canOperate(
  manifest: Pick<DriverManifest, 'version' | 'compatibleFrom'>,
  recordedVersion: string,
): boolean {
  return compare(recordedVersion, compatibleFrom(manifest)) >= 0 && compare(recordedVersion, manifest.version) <= 0;
}
