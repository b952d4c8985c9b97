import { isDocument, type Document } from '../api/api.js';
import type { Entry } from './fleet-file.js';

interface NamedFlavor {
  /** Where it is in the file. */
  readonly pointer: string;
  readonly flavor: Document;
  readonly conductorGroup: unknown;
}

const SIZES = [
  ['cpus', 'CPUs'],
  ['memoryMb', 'MB of memory'],
  ['diskGb', 'GB of disk'],
] as const;

function namedFlavors({ members, children, pointer }: Entry): NamedFlavor[] {
  const { defaults, conductorGroup } = members;
  const all = [
    {
      pointer: `${pointer}/defaults/flavor`,
      flavor: isDocument(defaults) ? defaults['flavor'] : undefined,
      conductorGroup,
    },
    ...children.map(child => ({
      pointer: `${child.pointer}/flavor`,
      flavor: child.members['flavor'],
      // without one of its own, a group is served by the conductors of its cluster
      conductorGroup: child.members['conductorGroup'] ?? conductorGroup,
    })),
  ];
  return all.flatMap(({ flavor, ...rest }) => (isDocument(flavor) && flavor['name'] ? [{ flavor, ...rest }] : []));
}

const differs = (one: Document, other: Document, member: string): boolean =>
  one[member] !== undefined && other[member] !== undefined && one[member] !== other[member];

/** The sizes that differ, such as `4 CPUs`. */
const sizesOf = (flavor: Document, other: Document): string =>
  SIZES.filter(([member]) => differs(flavor, other, member))
    .map(([member, unit]) => `${String(flavor[member])} ${unit}`)
    .join(' and ');

/** Two places of a file that give one flavor different sizes. */
export interface FlavorContradiction {
  readonly pointers: readonly [string, string];
  readonly text: string;
}

/**
 * Finds flavors of a cluster that have one name and different sizes: one cloud has one flavor of a name. Groups of other conductor groups may
 * be in other clouds.
 */
export function flavorContradictions(cluster: Entry): FlavorContradiction[] {
  const found: FlavorContradiction[] = [];
  const first = new Map<string, NamedFlavor>();
  for (const named of namedFlavors(cluster)) {
    const key = JSON.stringify([named.flavor['name'], named.conductorGroup]);
    const earlier = first.get(key);
    if (!earlier) first.set(key, named);
    else if (sizesOf(named.flavor, earlier.flavor) !== '')
      found.push({
        pointers: [earlier.pointer, named.pointer],
        text: `${String(named.flavor['name'])} has ${sizesOf(named.flavor, earlier.flavor)} here, but ${sizesOf(earlier.flavor, named.flavor)} at ${earlier.pointer}; leave the sizes out at both, or use another name`,
      });
  }
  return found;
}
