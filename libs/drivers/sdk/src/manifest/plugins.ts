import type { DriverManifest } from '../contract/manifest.js';
import type { DriverScope } from '../contract/networks.js';
import type { Options } from '../contract/specs.js';

/** The drivers of networks or volumes on a node or in a cluster. */
export interface Plugins {
  /** The scope by the name of the driver. */
  readonly known: Readonly<Record<string, DriverScope>>;
  /** The scope of drivers that are not known; absent: there are no others. */
  readonly others?: DriverScope;
}

const lists = {
  network: { manifest: 'networkDrivers', option: 'networkDrivers' },
  volume: { manifest: 'volumeDrivers', option: 'volumeDrivers' },
} as const;

/**
 * Returns the drivers of networks or volumes that a manifest declares, in place of which the options of the cluster or node group may list
 * others (`networkDrivers`, `volumeDrivers`).
 */
export function pluginsOf(
  manifest: Pick<DriverManifest, 'networkDrivers' | 'volumeDrivers' | 'otherDrivers'>,
  kind: 'network' | 'volume',
  options: Options,
): Plugins {
  const { [lists[kind].manifest]: declared = {}, otherDrivers: others } = manifest;
  const own = options[lists[kind].option];
  const known = isScopes(own) ? own : declared;
  return { known, ...(others && { others }) };
}

/** Returns where networks or volumes of this driver exist; undefined where the driver is missing. */
export const scopeOf = ({ known, others }: Plugins, driver: string): DriverScope | undefined =>
  Object.hasOwn(known, driver) ? known[driver] : others;

function isScopes(value: unknown): value is Readonly<Record<string, DriverScope>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every(scope => scope === 'node' || scope === 'cluster');
}
