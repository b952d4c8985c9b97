import { compare, major, minor, satisfies } from 'semver';
import type { DriverManifest } from '../driver.js';
import { SDK_VERSION } from '../sdk-version.js';

/** The oldest recorded version whose clusters this driver operates: `compatibleFrom`, else the start of its own minor line. */
export function compatibleFrom(manifest: Pick<DriverManifest, 'version' | 'compatibleFrom'>): string {
  return manifest.compatibleFrom ?? `${major(manifest.version)}.${minor(manifest.version)}.0`;
}

/** Whether this driver operates a cluster that was built by `recordedVersion` of the same driver. */
export function canOperate(
  manifest: Pick<DriverManifest, 'version' | 'compatibleFrom'>,
  recordedVersion: string,
): boolean {
  return compare(recordedVersion, compatibleFrom(manifest)) >= 0 && compare(recordedVersion, manifest.version) <= 0;
}

/** Whether a manifest's SDK range takes this SDK. */
export function acceptsSdk(manifest: Pick<DriverManifest, 'sdk'>, sdkVersion: string = SDK_VERSION): boolean {
  return satisfies(sdkVersion, manifest.sdk);
}
