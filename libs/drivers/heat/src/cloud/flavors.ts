import { DriverError, type Flavor } from '@stave/driver-sdk';
import type { Cloud, Reader } from './cloud.js';

/** A flavor as Nova shows it: memory in MiB, disk in GiB. */
export interface NovaFlavor {
  readonly id: string;
  readonly name: string;
  readonly vcpus: number;
  readonly ram: number;
  readonly disk: number;
}

/**
 * Returns the flavor of Nova that a node gets: the one of that name, else the smallest that has the sizes, by memory, CPU cores and disk in this
 * order. Throws a permanent DriverError with the code `flavor-unknown`.
 */
export async function flavorIn(
  cloud: Cloud,
  reader: Reader,
  wanted: Flavor | { readonly name: string },
): Promise<NovaFlavor> {
  const { flavors } = (await cloud.read(reader, 'compute', '/flavors/detail')) as {
    readonly flavors: readonly NovaFlavor[];
  };
  const found = chosenFlavor(flavors, wanted);
  if (found) return found;
  throw new DriverError('permanent', `the cloud has no flavor ${textOf(wanted)}`, { code: 'flavor-unknown' });
}

function textOf(wanted: Flavor | { readonly name: string }): string {
  if (wanted.name !== undefined || !('cpus' in wanted)) return `named ${wanted.name}`;
  const { cpus, memoryMb, diskGb } = wanted;
  const disk = diskGb === undefined ? '' : ` and ${diskGb} GiB of disk`;
  return `with ${cpus} CPU cores, ${memoryMb} MiB of memory${disk}`;
}

/** Returns the flavor of that name or id, else the smallest that has the sizes; undefined when there is none. */
export function chosenFlavor(
  flavors: readonly NovaFlavor[],
  wanted: Flavor | { readonly name: string },
): NovaFlavor | undefined {
  const { name } = wanted;
  if (name !== undefined || !('cpus' in wanted))
    return flavors.find(flavor => flavor.name === name) ?? flavors.find(({ id }) => id === name);
  const { cpus, memoryMb, diskGb = 0 } = wanted;
  const fitting = flavors.filter(({ vcpus, ram, disk }) => vcpus >= cpus && ram >= memoryMb && disk >= diskGb);
  return [...fitting].sort(
    (a, b) => a.ram - b.ram || a.vcpus - b.vcpus || a.disk - b.disk || (a.id < b.id ? -1 : 1),
  )[0];
}

/** Returns a flavor of Nova as nodes have it. One without a disk boots from a volume or a disk of the image's size. */
export const sizesOf = ({ name, vcpus, ram, disk }: NovaFlavor): Flavor => ({
  ...{ name, cpus: vcpus, memoryMb: ram },
  ...(disk > 0 && { diskGb: disk }),
});
