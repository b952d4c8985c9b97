import { createHash } from 'node:crypto';
import { DriverError } from '@stave/driver-sdk';

/**
 * Chooses a fixed IPv4 address in a subnet. A node must keep its address across restarts, because the address of a Swarm manager cannot
 * change, while the engine would assign addresses in the order of starts. The first candidate follows from `key`, so that nodes created at
 * the same time seldom conflict. Never returns an address in `taken`, nor the network, gateway (first host) or broadcast address. Throws
 * `capacity` when no address is free.
 */
export function chooseAddress(subnet: string, key: string, taken: ReadonlySet<string>): string {
  const { base, size } = parseSubnet(subnet);
  const usable = size - 3;
  const start = usable > 0 ? createHash('sha256').update(key).digest().readUInt32BE(0) % usable : 0;
  for (let step = 0; step < usable; step += 1) {
    const address = formatAddress(base + 2 + ((start + step) % usable));
    if (!taken.has(address)) return address;
  }
  throw new DriverError('capacity', `all addresses of the cluster network ${subnet} are in use`);
}

/** Returns the address at this place in a subnet; 0 is that of the network itself. */
export const addressIn = (subnet: string, place: number): string => formatAddress(parseSubnet(subnet).base + place);

/** Returns the number of bits of the network in the addresses of a subnet. */
export const prefixOf = (subnet: string): number => 32 - Math.log2(parseSubnet(subnet).size);

export function sameSubnet(one: string, other: string): boolean {
  const [a, b] = [parseSubnet(one), parseSubnet(other)];
  return a.base === b.base && a.size === b.size;
}

function parseSubnet(subnet: string): { base: number; size: number } {
  const match = /^(\d+)\.(\d+)\.(\d+)\.(\d+)\/(\d+)$/.exec(subnet);
  if (!match) throw new DriverError('permanent', `${subnet} is not an IPv4 network`);
  const [a = 0, b = 0, c = 0, d = 0, prefix = 32] = match.slice(1).map(Number);
  const size = 2 ** (32 - prefix);
  const number = ((a * 256 + b) * 256 + c) * 256 + d;
  return { base: number - (number % size), size };
}

function formatAddress(number: number): string {
  return [24, 16, 8, 0].map(shift => Math.floor(number / 2 ** shift) % 256).join('.');
}
