import { omitUndefined, type OfferedDriver } from '@stave/domain';
import { clusterActions, type Driver, type LoadedDriver, type OfferedManifest } from '@stave/driver-sdk';
import type { DriverPoolOptions } from '../conductor.tokens.js';

const DEFAULT_PROJECT = 'default';

/**
 * Returns what the conductor offers of an open driver: its manifest, what it does to whole clusters at once, what the settings of the driver allow to users, and the projects that it
 * serves where its manifest requires an operator to enable it and none did.
 */
export function offerOf(
  { manifest, module }: LoadedDriver,
  { env, enabledByOperator }: Pick<DriverPoolOptions, 'env' | 'enabledByOperator'>,
  { cluster, flavor }: Pick<Driver, 'cluster' | 'flavor'>,
): OfferedDriver {
  const { name, version, compatibleFrom, requiresEnabling = false } = manifest;
  const isEnabled = [name, `${name}@${version}`].some(enabled => enabledByOperator.includes(enabled));
  const atOnce = clusterActions.filter(action => cluster[action] !== undefined);
  const offered: OfferedManifest = omitUndefined({
    ...manifest,
    namedFlavors: manifest.namedFlavors && flavor ? true : undefined,
    clusterActions: atOnce.length > 0 ? atOnce : undefined,
    restrictions: module.restrictions?.(env),
    projects: requiresEnabling && !isEnabled ? [DEFAULT_PROJECT] : undefined,
  });
  return omitUndefined({ name, version, compatibleFrom, manifest: { ...offered } });
}
