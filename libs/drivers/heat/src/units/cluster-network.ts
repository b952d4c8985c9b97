import { DriverError } from '@stave/driver-sdk';
import type { ClusterNetwork } from './engine-definition.js';

const defaultCidr = '10.144.0.0/20';
const firstHost = 10;

/** Returns the network of a cluster with this CIDR. Throws a permanent DriverError when it is no IPv4 network or has less than 16 addresses. */
export function networkOf(cidr: string = defaultCidr): ClusterNetwork {
  const [, a, b, c, d, bits] = (/^(\d+)\.(\d+)\.(\d+)\.(\d+)\/(\d+)$/.exec(cidr) ?? []).map(Number);
  const parts = [a, b, c, d].filter(part => part !== undefined && part <= 255);
  if (parts.length !== 4 || bits === undefined || bits < 8 || bits > 28)
    throw new DriverError(
      'permanent',
      `network.cidr must be an IPv4 network with a prefix of 8 to 28 bits, not ${cidr}`,
    );
  const start = parts.reduce<number>((sum, part = 0) => sum * 256 + part, 0);
  if (start % 2 ** (32 - bits) !== 0)
    throw new DriverError('permanent', `network.cidr must be an IPv4 network: ${cidr} has bits after its prefix`);
  const first = start + firstHost;
  return { cidr, firstAddress: [24, 16, 8, 0].map(shift => (first >>> shift) & 255).join('.') };
}
