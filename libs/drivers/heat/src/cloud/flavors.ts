import { DriverError, type Flavor } from '@stave/driver-sdk';
import type { Cloud, Reader } from './cloud.js';

interface NovaFlavor {
  readonly id: string;
  readonly name: string;
  readonly vcpus: number;
  readonly ram: number;
  readonly disk: number;
}

/**
 * Returns the id of the flavor of Nova that a node gets: the one of that name, else the smallest that has the sizes, by memory, CPU cores and
 * disk in this order. Throws a permanent DriverError with the code `flavor-unknown`.
 */
export async function flavorIn(cloud: Cloud, reader: Reader, wanted: Flavor): Promise<string> {
  const { flavors } = (await cloud.read(reader, 'compute', '/flavors/detail')) as {
    readonly flavors: readonly NovaFlavor[];
  };
  const found = chosenFlavor(flavors, wanted);
  if (found) return found.id;
  const { name, cpus, memoryMb, diskGb } = wanted;
  const sizes = `${cpus} CPU cores, ${memoryMb} MiB of memory${diskGb === undefined ? '' : ` and ${diskGb} GiB of disk`}`;
  const message =
    name === undefined ? `the cloud has no flavor with ${sizes}` : `the cloud has no flavor named ${name}`;
  throw new DriverError('permanent', message, { code: 'flavor-unknown' });
}

/** Returns the flavor of that name or id, else the smallest that has the sizes; undefined when there is none. */
export function chosenFlavor(flavors: readonly NovaFlavor[], wanted: Flavor): NovaFlavor | undefined {
  const { name, cpus, memoryMb, diskGb = 0 } = wanted;
  if (name !== undefined) return flavors.find(flavor => flavor.name === name) ?? flavors.find(({ id }) => id === name);
  const fitting = flavors.filter(({ vcpus, ram, disk }) => vcpus >= cpus && ram >= memoryMb && disk >= diskGb);
  return [...fitting].sort(
    (a, b) => a.ram - b.ram || a.vcpus - b.vcpus || a.disk - b.disk || (a.id < b.id ? -1 : 1),
  )[0];
}
