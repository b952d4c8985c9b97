import type { FlavorSpec } from '../node-group/node-group-spec.js';
import { knowsFlavors, type DriverManifest } from './driver-offer.js';

type Patch = Readonly<Record<string, unknown>>;

const sizeMembers = ['cpus', 'memoryMb', 'diskGb'] as const;

/**
 * Returns the merge patch of a flavor as it is meant for the driver of this manifest. For one that knows flavors by name, a name alone takes the
 * place of the sizes, and sizes without a name take the place of the name. `found` is the flavor that the patch names, once it is known.
 */
export function meantFlavorPatch(manifest: DriverManifest, patch: Patch, found?: FlavorSpec): Patch {
  if (found) return { name: null, diskGb: null, ...found };
  if (!knowsFlavors(manifest)) return patch;
  if (isNameOnly(patch)) return { name: patch['name'], cpus: null, memoryMb: null, diskGb: null };
  return patch['name'] === undefined && resizes(patch) ? { ...patch, name: null } : patch;
}

/** Returns whether a patch of a flavor gives a name and no size. */
export const isNameOnly = (patch: Patch): boolean => typeof patch['name'] === 'string' && !resizes(patch);

const resizes = (patch: Patch): boolean =>
  sizeMembers.some(member => patch[member] !== undefined && patch[member] !== null);
