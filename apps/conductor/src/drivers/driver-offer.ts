import { omitUndefined, type OfferedDriver } from '@stave/domain';
import type { LoadedDriver, OfferedManifest } from '@stave/driver-sdk';
import type { DriverPoolOptions } from '../conductor.tokens.js';

const DEFAULT_PROJECT = 'default';

/**
 * Returns what the conductor offers of a driver: its manifest, what the settings of the driver allow to users, and the projects that it
 * serves where its manifest requires an operator to enable it and none did.
 */
export function offerOf(
  { manifest, module }: LoadedDriver,
  { env, enabledByOperator }: Pick<DriverPoolOptions, 'env' | 'enabledByOperator'>,
): OfferedDriver {
  const { name, version, compatibleFrom, requiresEnabling = false } = manifest;
  const isEnabled = [name, `${name}@${version}`].some(enabled => enabledByOperator.includes(enabled));
  const offered: OfferedManifest = omitUndefined({
    ...manifest,
    restrictions: module.restrictions?.(env),
    projects: requiresEnabling && !isEnabled ? [DEFAULT_PROJECT] : undefined,
  });
  return omitUndefined({ name, version, compatibleFrom, manifest: { ...offered } });
}
