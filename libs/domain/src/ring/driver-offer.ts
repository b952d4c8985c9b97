import type { Problem, Refusal } from '../kernel/decider.js';
import { isNamedAlone, type FlavorSpec, type WantedFlavor } from '../node-group/node-group-spec.js';
import type { RingView } from './ring-view.js';

/** The manifest of a driver version, as the SDK defines it. */
export type DriverManifest = Readonly<Record<string, unknown>>;

/** A driver version that live conductors offer. */
export interface DriverOffer {
  readonly version: string;
  readonly manifest: DriverManifest;
}

/**
 * Returns the newest version of the driver that live conductors of the group offer; with `recorded`, the newest that can operate what that
 * version built. Otherwise a refusal `no-conductor-available` with what is offered.
 */
export function driverOffer(ring: RingView, group: string, driver: string, recorded?: string): DriverOffer | Refusal {
  const version = ring.newestOffered(group, driver, recorded);
  const manifest = version === undefined ? undefined : manifestOf(ring, driver, version);
  if (version !== undefined && manifest) return { version, manifest };
  const builtBy = recorded === undefined ? '' : ` for resources that version ${recorded} built`;
  return noConductorAvailable(ring, group, `driver ${driver}${builtBy}`);
}

/** Returns this very version, if live conductors of the group offer it. Otherwise a refusal as {@link driverOffer}. */
export function driverVersionOffer(
  ring: RingView,
  group: string,
  driver: string,
  version: string,
): DriverOffer | Refusal {
  const isOffered = ring.versionsOffered(group, driver).includes(version);
  const manifest = isOffered ? manifestOf(ring, driver, version) : undefined;
  return manifest ? { version, manifest } : noConductorAvailable(ring, group, `version ${version} of driver ${driver}`);
}

function noConductorAvailable(ring: RingView, group: string, what: string): Refusal {
  const where = group === '' ? 'the default conductor group' : `conductor group ${group}`;
  return {
    code: 'no-conductor-available',
    kind: 'unavailable',
    detail: `no live conductor serves ${what} in ${where}`,
    extra: { served: ring.offered() },
  };
}

/** Returns the manifest of a driver version that a live conductor offers; undefined for others. */
export function manifestOf(ring: RingView, driver: string, version: string): DriverManifest | undefined {
  for (const member of ring.members()) {
    const offer = member.drivers.find(d => d.name === driver && d.version === version);
    if (offer) return offer.manifest;
  }
  return undefined;
}

/** Returns whether worker nodes of this driver version need a manager in their cluster; false for a version that is not offered. */
export const requiresManager = (ring: RingView, driver: string, version: string): boolean =>
  manifestOf(ring, driver, version)?.['requiresManager'] === true;

/** Returns whether workers of this driver version boot while the first manager of their cluster is built; false for a version that is not offered. */
export const startsWorkersEarly = (ring: RingView, driver: string, version: string): boolean =>
  manifestOf(ring, driver, version)?.['startsWorkersEarly'] === true;

/** Returns the values that the driver gives to node groups that leave them open. */
export function driverDefaults(manifest: DriverManifest): { readonly driver?: { readonly image?: string } } {
  const { defaults } = manifest as { readonly defaults?: { readonly image?: string } };
  return defaults?.image === undefined ? {} : { driver: { image: defaults.image } };
}

/** Returns whether a flavor of this driver may be given by its name alone. */
export const knowsFlavors = (manifest: DriverManifest): boolean => manifest['namedFlavors'] === true;

const flavorMembers = ['cpus', 'memoryMb', 'diskGb'] as const;

/**
 * Returns where a flavor is below the minimum of the manifest, with pointers under `base`, and the sizes that a flavor by its name alone lacks
 * where the driver knows none by name. Other members that the flavor leaves open are accepted. The empty manifest is that of a driver which no
 * conductor offers now: nothing is known about it.
 */
export function flavorProblems(
  manifest: DriverManifest,
  wanted: WantedFlavor | undefined,
  base: string,
): readonly Problem[] {
  if (isNamedAlone(wanted) && manifest['name'] !== undefined && !knowsFlavors(manifest))
    return (['cpus', 'memoryMb'] as const).map(member => {
      const detail = `driver ${String(manifest['name'])} knows no flavors by name: a flavor needs ${member}`;
      return { pointer: `${base}/${member}`, code: 'required', detail };
    });
  const flavor: Partial<FlavorSpec> | undefined = wanted;
  const { minimumFlavor = {} } = manifest as { readonly minimumFlavor?: Partial<FlavorSpec> };
  return flavorMembers.flatMap(member => {
    const [given, minimum] = [flavor?.[member], minimumFlavor[member]];
    if (given === undefined || minimum === undefined || given >= minimum) return [];
    const detail = `nodes of this driver need at least ${minimum} ${member}, not ${given}`;
    return [{ pointer: `${base}/${member}`, code: 'below-minimum-flavor', detail }];
  });
}
