import { DriverError, type Driver, type Flavor } from '@stave/driver-sdk';

/**
 * Returns the flavors that FAKE_FLAVORS lists, as `small=1:1024,large=8:16384:100`: the name, CPU cores, MiB of memory and, where it has a disk,
 * GiB. Without the variable the driver knows none by name. Throws a permanent DriverError for another text.
 */
export function fakeFlavors(listed: string | undefined): Pick<Driver, 'flavor'> {
  if (!listed) return {};
  const flavors = new Map(listed.split(',').map(text => [text.split('=')[0]?.trim(), flavorOf(text)]));
  return {
    flavor: async (_ctx, { name }) => {
      const flavor = flavors.get(name);
      if (flavor) return flavor;
      throw new DriverError('permanent', `the cloud has no flavor named ${name}`, { code: 'flavor-unknown' });
    },
  };
}

function flavorOf(text: string): Flavor {
  const [, name, cpus, memoryMb, diskGb] =
    /^\s*([^=:]+?)\s*=\s*([0-9]+(?:\.[0-9]+)?):([0-9]+)(?::([0-9]+))?\s*$/.exec(text) ?? [];
  if (name === undefined || !(Number(cpus) > 0) || !(Number(memoryMb) > 0))
    throw new DriverError('permanent', `FAKE_FLAVORS has "${text}" where name=cpus:memoryMb[:diskGb] is needed`);
  const disk = diskGb === undefined ? {} : { diskGb: Number(diskGb) };
  return { name, cpus: Number(cpus), memoryMb: Number(memoryMb), ...disk };
}
